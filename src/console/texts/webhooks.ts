import type { Delivery, Webhook } from "../../client/index.ts";

export const webhooks = {
  title: "Webhooks",
  lead: "Roster sends events to your URLs as they happen.",
  count: (active: string) => `${active} active`,
  newWebhook: "New webhook",
  list: "Webhooks",
  back: "All webhooks",
  allEvents: "All events",
  state: "State",
  copyUrl: "Copy URL",
  states: { active: "Active", failing: "Failing", disabled: "Disabled" },
  failingSince: (moment: string) =>
    `Every delivery since ${moment} has failed. Roster retries for about three days.`,
  disabledReasons: {
    gone: "Roster disabled this webhook: the receiver answered 410 Gone.",
    failing: "Roster disabled this webhook: every delivery of five days failed.",
    restored: "Roster disabled this webhook: the database was restored from a backup.",
  } satisfies Record<NonNullable<Webhook["disabledReason"]>, string>,
  disabledText: "This webhook is disabled: it gets no events.",
  missed:
    "After you activate it, it gets the events from then on. Use “Send events again” for the time in between.",
  facts: {
    label: "Details",
    url: "URL",
    description: "Description",
    types: "Events",
    filter: "Filter",
    noFilter: "None",
    created: "Created",
    secret: "Secret",
    twoSecrets: (moment: string) => `Deliveries are signed with the old secret too, until ${moment}.`,
    oneSecret: "Shown when it was created.",
  },
  actions: {
    test: "Send test",
    edit: "Edit",
    rotate: "Rotate secret",
    disable: "Disable",
    activate: "Activate",
    delete: "Delete",
    replay: "Send events again",
  },
  activated: "Webhook activated",
  disabled: "Webhook disabled",
  deleted: "Webhook deleted",
  saved: "Webhook saved",
  changed: "Someone else has just changed this webhook. Check the values, then try again.",
  empty: {
    title: "No webhooks yet",
    text: "A webhook sends events, such as “user created”, to a URL of your program. Deliveries are signed and retried.",
  },
  gone: { title: "Webhook not found", text: "This webhook was deleted or never existed." },
};

export const testResult = {
  delivered: "The receiver accepted the test",
  failed: "The test failed",
  status: (status: number, ms: string) => `Status ${status} after ${ms} ms.`,
  noResponse: (ms: string) => `No response after ${ms} ms.`,
  close: "Close",
};

export const webhookForm = {
  createTitle: "New webhook",
  editTitle: "Edit webhook",
  url: "URL",
  urlHint: "An https: address that accepts POST requests.",
  urlMissing: "Enter a URL, like https://hooks.example.com/roster.",
  description: "Description",
  descriptionHint: "Optional. What receives the events.",
  types: "Events to send",
  kinds: { all: "All events", users: "All user events", some: "Only some types" },
  typesMissing: "Choose at least one type.",
  filter: "Filter",
  filterHint: 'Optional. A filter expression on the user, such as department eq "sales".',
  keyHint: "A webhook outlives your session. Enter the key that you signed in with.",
  create: "Create webhook",
  save: "Save",
};

export const webhookSecret = {
  created: "Secret of the new webhook",
  rotated: "New secret",
  lead: "Your program checks deliveries with this secret. Copy it now. You won't see it again.",
  rotatedLead:
    "For 24 hours, deliveries are signed with both secrets. Copy the new one now, give it to your program, then remove the old one. You won't see it again.",
  copy: "Copy secret",
  saved: "I've saved it",
  ask: {
    title: "Did you save the secret?",
    text: "You won't see it again. Without it, you have to rotate the secret.",
    action: "Close anyway",
    stay: "Show the secret",
  },
};

export const rotateSecret = {
  title: "Rotate the secret?",
  lead: "Creates a new secret. For 24 hours, deliveries are signed with both secrets, so that your program has time to switch.",
  again: "The secret was rotated less than 24 hours ago. The secret before it ends at once.",
  action: "Rotate secret",
};

export const deleteWebhook = {
  title: "Delete this webhook?",
  text: (url: string) => `Nothing more is sent to ${url}. You can't undo this.`,
  action: "Delete",
};

export const replay = {
  title: "Send events again",
  lead: "Sends all events of a time range that this webhook is subscribed to, also those that were delivered.",
  range: "Time range",
  ranges: { "1": "Last hour", "24": "Last 24 hours", "168": "Last 7 days", own: "Choose…" },
  from: "From",
  to: "Until",
  toHint: "Leave empty for now.",
  noFrom: "Choose a time.",
  action: "Send again",
  done: "Events are being sent again",
  inactive: "Activate the webhook first.",
};

export const deliveries = {
  title: "Deliveries",
  hint: "Of the last 7 days, newest events first. Updates by itself.",
  states: { waiting: "Waiting", delivered: "Delivered", failed: "Failed" } satisfies Record<
    Delivery["state"],
    string
  >,
  subject: { user: "User", group: "Group", key: "Key", webhook: "Webhook", schema: "Schema" },
  subjectOf: (type: string, id: number) => `${type} ${id}`,
  columns: {
    type: "Event",
    state: "State",
    subject: "Subject",
    result: "Result",
    attempts: "Attempts",
    last: "Last attempt",
    next: "Next attempt",
  },
  status: (status: number) => `Status ${status}`,
  noResponse: "No response",
  ms: (ms: string) => `${ms} ms`,
  noAttempts: "Not sent yet",
  blocked: "After an earlier event",
  blockedHint: "Waits for an earlier event of the same subject",
  time: "Time",
  result: "Result",
  duration: "Duration",
  error: "Error",
  resent: "The event is sent again",
  copyEvent: "Copy event ID",
  empty: {
    title: "No deliveries",
    text: "Nothing was sent in the last 7 days. Send a test, or change a user.",
  },
};
