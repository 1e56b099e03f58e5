import { useLocation } from "wouter";
import type { GroupEvent, RosterEvent, User, UserEvent } from "../../client/index.ts";
import { reloadGroups, showGroup } from "../groups/queries.ts";
import { isProblem, promptOnceIfSignedOut, roster } from "../lib/api.ts";
import type { CurrentSession } from "../lib/session.ts";
import { useWhileVisible } from "../lib/use-while-visible.ts";
import { refreshOverview } from "../overview/queries.ts";
import { rereadOpenUsers, showNewerUsers } from "../users/queries.ts";
import { viewPaths } from "../view-paths.ts";
import { addChanges, addMembersChanges, liveUsers } from "./live-users.ts";

/** Events are shown together, this long after the first of them. */
const COLLECT_MS = 200;
/** If more events than this come at once, such as those of an import, the others are skipped. */
const MAX_BURST = 300;
const SKIP_PAUSE_MS = 5000;
/** The overview, and lists of groups, are loaded again at most this often. */
const REFRESH_MS = 3000;

/** The last event that has been shown. It stays while the page is hidden, so that nothing is missed. */
let position: string | undefined;
let collected: (UserEvent | GroupEvent)[] = [];
let lastRefresh = Number.NEGATIVE_INFINITY;
let willRefresh = false;
let haveGroupsChanged = false;

/**
 * Follows the changes of users and groups while the page shows them: one request at a time, and none while the page is hidden.
 * Without the scope `events:read`, nothing is followed.
 */
export function useLiveUpdates({ scopes }: CurrentSession): void {
  const [path] = useLocation();
  const showsGroups = path.startsWith(viewPaths.groups) && scopes.includes("groups:read");
  const showsUsers =
    (path === viewPaths.overview || path.startsWith(viewPaths.users)) && scopes.includes("users:read");
  const isFollowing = (showsUsers || showsGroups) && scopes.includes("events:read");
  useWhileVisible(isFollowing, "users", (_key, signal) => followUntilAborted(signal));
}

async function followUntilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(signal);
      // Too many events: wait until most of them are over.
      await new Promise((resolve) => setTimeout(resolve, SKIP_PAUSE_MS));
    } catch (error) {
      if (signal.aborted) return;
      if (!isProblem(error, "events-expired")) return promptOnceIfSignedOut(error);
    }
    position = undefined;
    const { gaps, ...users } = liveUsers.get();
    liveUsers.set({ ...users, gaps: gaps + 1 });
    rereadOpenUsers();
    void reloadGroups();
  }
}

/** Returns after a burst of events. */
async function follow(signal: AbortSignal): Promise<void> {
  position ??= await roster.events.last({ signal });
  let burstStart = performance.now();
  let burst = 0;
  for await (const event of roster.events.follow({ after: position, type: ["user.*", "group.*"], signal })) {
    position = event.id;
    collect(event);
    const now = performance.now();
    if (now - burstStart > SKIP_PAUSE_MS) [burstStart, burst] = [now, 0];
    if (++burst >= MAX_BURST) return;
  }
}

function collect(event: RosterEvent): void {
  if (!isUserEvent(event) && !isGroupEvent(event)) return;
  if (collected.push(event) === 1) setTimeout(showCollected, COLLECT_MS);
}

function isUserEvent(event: RosterEvent): event is UserEvent {
  return event.type.startsWith("user.");
}

function isGroupEvent(event: RosterEvent): event is GroupEvent {
  return event.type.startsWith("group.");
}

function showCollected(): void {
  const events = collected;
  collected = [];
  showGroupEvents(events.filter(isGroupEvent));
  const { gaps, ...before } = liveUsers.get();
  const changes: { added: number[]; removed: number[] }[] = [];
  const changed = new Map<number, User>();
  /** Users who were deleted or restored. */
  const moved = new Set<number>();
  for (const { type, subject, record } of events.filter(isUserEvent)) {
    if (type !== "user.created" && type !== "user.updated") moved.add(subject.id);
    if (type === "user.created" || type === "user.restored")
      changes.push({ added: [subject.id], removed: [] });
    else if (type === "user.updated" && record) changed.set(subject.id, record);
    else if (type === "user.deleted") changes.push({ added: [], removed: [subject.id] });
  }
  liveUsers.set({ ...addChanges(before, changes), gaps });
  showNewerUsers(changed);
  if (moved.size > 0) rereadOpenUsers(moved);
  if (willRefresh) return;
  willRefresh = true;
  setTimeout(refresh, Math.max(0, lastRefresh + REFRESH_MS - performance.now()));
}

function showGroupEvents(events: readonly GroupEvent[]): void {
  if (events.length === 0) return;
  haveGroupsChanged = true;
  for (const { type, record } of events) if (type !== "group.deleted") showGroup(record);
  addMembersChanges(
    events.flatMap((event) => {
      if (event.type !== "group.members_changed") return [];
      const { subject, version, changes } = event;
      return [{ group: subject.id, version, ...changes.members }];
    }),
  );
}

function refresh(): void {
  willRefresh = false;
  lastRefresh = performance.now();
  void refreshOverview();
  if (haveGroupsChanged) void reloadGroups();
  haveGroupsChanged = false;
}
