import type { EventActor, EventTypeFilter } from "../../client/index.ts";
import type { EventType } from "../../contract/events/event.ts";
import { formatNumber } from "./format.ts";

/** `hasMore`: there are more that are not loaded. */
const some = (count: number, hasMore: boolean, one: string, many: string) =>
  `${formatNumber(count)}${hasMore ? "+" : ""} ${count === 1 && !hasMore ? one : many}`;

export const activity = {
  title: "Activity",
  live: "Live",
  liveHint: "New events appear here as they happen.",
  stopped: "Live updates have stopped.",
  refresh: "Refresh",
  list: "Events",
  newEvents: (count: string) => (count === "1" ? "Show 1 new event" : `Show ${count} new events`),
  more: "Show older events",
  end: "No older events. Roster removes events after some time.",
  filters: {
    type: "Event",
    actor: "Made by",
    user: "User",
    userPlaceholder: "Name, email or ID",
    period: "Time",
    anyActor: "Anyone",
    anyType: "All events",
    from: "From",
    to: "To",
    clear: "Clear filters",
    remove: (label: string) => `Remove filter ${label}`,
  },
  periods: {
    any: "Any time",
    "1h": "Last hour",
    "24h": "Last 24 hours",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    days: "Choose days…",
  },
  actors: {
    key: "Key",
    anonymous: "Someone without a key",
    command: "A command on the server",
    system: "Roster",
  } satisfies Record<EventActor["type"], string>,
  keyActor: (id: number) => (id === 0 ? "ROSTER_API_KEY" : `Key ${id}`),
  subjects: {
    user: (id: number) => `user ${id}`,
    group: (name: string) => `the group ${name}`,
    key: (name: string) => `the key ${name}`,
    webhook: (host: string) => `the webhook to ${host}`,
    schema: "the schema",
  },
  subjectFilter: {
    user: (id: number) => `User ${id}`,
    group: (id: number) => `Group ${id}`,
    key: (id: number) => `Key ${id}`,
    webhook: (id: number) => `Webhook ${id}`,
    schema: () => "Schema",
  },
  /** The words between who made the change and what it changed. */
  verbs: {
    "user.created": "created",
    "user.updated": "changed",
    "user.deleted": "deleted",
    "user.restored": "restored",
    "user.purged": "erased",
    "group.created": "created",
    "group.updated": "changed",
    "group.deleted": "deleted",
    "group.members_changed": "changed the members of",
    "key.created": "created",
    "key.replaced": "replaced",
    "key.revoked": "revoked",
    "webhook.created": "created",
    "webhook.updated": "changed",
    "webhook.deleted": "deleted",
    "webhook.disabled": "disabled",
    "schema.updated": "changed",
  } satisfies Record<EventType, string>,
  removed: "removed",
  thisUser: "this user",
  becomes: "→",
  notSet: "not set",
  emptyText: "empty",
  moreFields: (count: number) => `and ${count === 1 ? "1 more field" : `${formatNumber(count)} more fields`}`,
  and: "and",
  /** The words before and after the user that became a member, or is not a member any more. */
  membership: { added: ["added", "to"], removed: ["removed", "from"] },
  members: (added: number, removed: number) =>
    [added > 0 && `${formatNumber(added)} added`, removed > 0 && `${formatNumber(removed)} removed`]
      .filter((part) => part !== false)
      .join(", "),
  burst: {
    /** What a burst of events is about. */
    subjects: {
      user: (count: number, hasMore: boolean) => some(count, hasMore, "user", "users"),
      group: (count: number, hasMore: boolean) => some(count, hasMore, "group", "groups"),
      key: (count: number, hasMore: boolean) => some(count, hasMore, "key", "keys"),
      webhook: (count: number, hasMore: boolean) => some(count, hasMore, "webhook", "webhooks"),
      schema: () => "the schema",
    },
    times: (count: number, hasMore: boolean) => `${formatNumber(count)}${hasMore ? "+" : ""} times`,
    show: (count: number) => `Show ${formatNumber(count)} events`,
    hide: "Hide events",
    list: "Events of this entry",
    more: (count: number) => `Show ${formatNumber(count)} more`,
  },
  details: {
    show: "Show details",
    hide: "Hide details",
    field: "Field",
    change: "Change",
    value: "Value",
    notSet: "Not set",
    erased: "The user was erased, and the values of this event with it.",
    created: "Values at this time",
    deleted: "Last values",
    id: "Event",
    request: "Request",
    version: "Version",
    members: {
      added: "Added",
      removed: "Removed",
      more: (count: number) => `and ${formatNumber(count)} more`,
    },
    allOf: {
      user: "All events of this user",
      group: "All events of this group",
      key: "All events of this key",
      webhook: "All events of this webhook",
      schema: "All changes of the schema",
    },
    allOfActor: "All events made by this key",
    open: "Open user",
    openDeleted: "Show in deleted users",
    copy: "Copy JSON",
  },
  empty: {
    title: "No events yet",
    text: "Every change of a user, a group, a key, a webhook or the schema appears here. Create a user to see the first event.",
    action: "New user",
  },
  nothing: {
    title: "No matching events",
    text: "Choose other filters or a longer time.",
  },
};

export const history = {
  empty: "No events. Roster removes events after some time.",
  more: "Show older changes",
};

export const eventTypeLabels = {
  "user.*": "All user events",
  "user.created": "User created",
  "user.updated": "User changed",
  "user.deleted": "User deleted",
  "user.restored": "User restored",
  "user.purged": "User erased",
  "group.*": "All group events",
  "group.created": "Group created",
  "group.updated": "Group changed",
  "group.deleted": "Group deleted",
  "group.members_changed": "Members of a group changed",
  "key.*": "All key events",
  "key.created": "Key created",
  "key.replaced": "Key replaced",
  "key.revoked": "Key revoked",
  "webhook.*": "All webhook events",
  "webhook.created": "Webhook created",
  "webhook.updated": "Webhook changed",
  "webhook.deleted": "Webhook deleted",
  "webhook.disabled": "Webhook disabled",
  "schema.*": "All schema events",
  "schema.updated": "Schema changed",
} as const satisfies Record<EventTypeFilter, string>;
