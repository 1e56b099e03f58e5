import type { SourceChange } from "./change-source.ts";

/** A change of the source that breaks an invariant. The simulator has to find it. */
export interface Defect extends SourceChange {
  readonly name: string;
  /** What goes wrong, and when. */
  readonly effect: string;
  /** The invariants that this breaks. */
  readonly breaks: readonly string[];
}

/** A value in a text of the source. */
const value = (name: string) => `$\{${name}}`;

export const defects: readonly Defect[] = [
  {
    name: "first-key",
    effect:
      "The first key is acknowledged at once. For a quarter of a second, other nodes still serve callers without a key.",
    breaks: ["After the first key, no node serves a caller without a key"],
    file: "src/domain/keys/keys.ts",
    text: "if (isNews) await this.#clock.sleep(KNOWN_TO_ALL_MS);",
    replacement: "void isNews;",
  },
  {
    name: "late-write-sqlite",
    effect: "The writer thread commits writes that were refused while it waited for the lock of the file.",
    breaks: ["A refused write never happens, and an accepted one has happened"],
    file: "src/store/sqlite/writer.ts",
    text: "const open = writes.filter(({ index }) => !refusals.isRefused(index));",
    replacement: "const open = writes; refusals = Refusals.ofBatch(writes.length);",
  },
  {
    name: "late-write-postgres",
    effect: "A transaction sends its COMMIT after its writes were refused.",
    breaks: ["A refused write never happens, and an accepted one has happened"],
    file: "src/store/postgres/writer.ts",
    text: "() => whole.refusals.beginCommit(indexes)",
    replacement: "() => true",
  },
  {
    name: "stale-list",
    effect: "A list of events waits for a round of publishing that began before it.",
    breaks: ["A list of events has the event of every change that was committed before"],
    file: "src/store/events/event-publisher.ts",
    text: "this.#next ??= this.#running.then(async () => {",
    replacement:
      "if (this.#isRunning) return this.#running;\n    this.#next ??= this.#running.then(async () => {",
  },
  {
    name: "skipped-event",
    effect:
      "A node looks only for events that were appended since its last look. One that was committed late is never found.",
    breaks: [
      "A follower gets every event once, in the order of the feed",
      "A list of events has the event of every change that was committed before",
      "The members of a group are users, as many as it says, and those that its events name",
    ],
    file: "src/store/events/event-publisher.ts",
    text: "if (!isDue && !isBack) return known;\n    this.#keys = { older: isBack ? 0 : this.#keys.newer, newer: lastKey };",
    replacement: "this.#keys = { older: lastKey, newer: lastKey };",
  },
  {
    name: "skipped-end",
    effect:
      "A page of the events of a request leaves out the last event that it examines. The next page begins after it.",
    breaks: ["A list of events has the event of every change that was committed before"],
    file: "src/store/events/event-tables.ts",
    text: '">=" : "<="',
    replacement: '">=" : query.requestId === undefined ? "<=" : "<"',
  },
  {
    name: "unpublished-purge",
    effect: "A purge erases only the events that have their positions.",
    breaks: [
      "Nothing of the data of a purged user is sent to anybody",
      "The rules hold that tests with real servers check",
    ],
    file: "src/store/postgres/write-changes.ts",
    text: "send(PUBLISH_ALL, []);",
    replacement: "void PUBLISH_ALL;",
  },
  {
    name: "double-lease",
    effect: "A node takes the lease of a webhook although another node has it.",
    breaks: ["Only the node that has the lease of a webhook sends to its receiver"],
    file: "src/store/webhooks/delivery-tables.ts",
    text: `WHERE webhook_work.leased_until <= ${value("now")} OR webhook_work.node = excluded.node`,
    replacement: "WHERE TRUE",
  },
  {
    name: "missed-revocation",
    effect: "A node that has not counted the last requests of a key yet ignores that the key is revoked.",
    breaks: ["A revoked key and an ended session stop working within a second, on every node"],
    file: "src/domain/keys/key-ring.ts",
    text: 'if (cached && cached.actor.type === "key") {',
    replacement:
      'if (cached && cached.uncounted > 0) continue;\n      if (cached && cached.actor.type === "key") {',
  },
  {
    name: "sleeping-follower",
    effect:
      "The feed stops sending when its part of a turn is used up: the other followers wait for the next event.",
    breaks: ["A follower that reads gets new events soon"],
    file: "src/domain/events/event-feed.ts",
    text: "if (slice.isFull) await slice.nextTurn();",
    replacement: "if (slice.isFull) break;",
  },
  {
    name: "purge-in-memory",
    effect:
      "A node keeps the events of a purged user in its memory, and sends them to followers that resume.",
    breaks: ["Nothing of the data of a purged user is sent to anybody"],
    file: "src/domain/events/event-feed.ts",
    text: "      this.#forget(this.#last);\n      this.#purges++;",
    replacement: "",
  },
  {
    name: "purge-in-transaction",
    effect: "A purge does not erase the event of the deletion in the same transaction.",
    breaks: ["Nothing of the data of a purged user is sent to anybody"],
    file: "src/store/sqlite/writer.ts",
    text: "this.#events.flush(this.now);\n    deletedUsers.eraseEvents",
    replacement: "deletedUsers.eraseEvents",
  },
  {
    name: "inactive-webhook",
    effect:
      "A failed delivery to a webhook that is not active any more is sent again after the webhook is activated.",
    breaks: [
      "Events of the time in which a webhook is not active are not sent to it later, unless somebody asks",
    ],
    file: "src/store/webhooks/delivery-tables.ts",
    text: "return active === 1 ? report : withoutWaiting(report);",
    replacement: "void active;\n      return report;",
  },
  {
    name: "wrong-member-count",
    effect: "Members that leave a group are still counted.",
    breaks: ["The members of a group are users, as many as it says, and those that its events name"],
    file: "src/store/writes/member-changes.ts",
    text: "current.memberCount + members.added.length - members.removed.length",
    replacement: "current.memberCount + members.added.length",
  },
  {
    name: "early-members",
    effect: "A batch reads memberships before it has locked their groups.",
    breaks: ["The members of a group are users, as many as it says, and those that its events name"],
    file: "src/store/postgres/batch.ts",
    text: "const [locked, owners, newIds, ofGroups, ofLeaving] = await Promise.all([",
    replacement:
      "const ofGroups = await query(memberships.length > 0, findMemberships.text, () => findMemberships.parameters({}, { memberships }));\n    const [locked, owners, newIds, , ofLeaving] = await Promise.all([",
  },
];
