import type { SourceChange } from "./change-source.ts";

/** A change of the source that breaks a promise. The simulator has to find it. */
export interface Defect extends SourceChange {
  readonly name: string;
  /** What goes wrong, and when. */
  readonly effect: string;
}

export const defects: readonly Defect[] = [
  {
    name: "first-key",
    effect:
      "The first key is acknowledged at once. For a quarter of a second, other nodes still serve callers without a key.",
    file: "src/domain/keys/keys.ts",
    text: "if (isNews) await this.#clock.sleep(KNOWN_TO_ALL_MS);",
    replacement: "void isNews;",
  },
  {
    name: "late-write-sqlite",
    effect: "The writer thread commits writes that were refused while it waited for the lock of the file.",
    file: "src/store/sqlite/writer.ts",
    text: "const open = writes.filter(({ index }) => !refusals.isRefused(index));",
    replacement: "const open = writes; refusals = Refusals.ofBatch(writes.length);",
  },
  {
    name: "double-lease",
    effect: "A node takes the lease of a webhook although another node has it.",
    file: "src/store/webhooks/delivery-tables.ts",
    text: "WHERE webhook_work.leased_until <= ${now} OR webhook_work.node = excluded.node",
    replacement: "WHERE TRUE",
  },
  {
    name: "sleeping-follower",
    effect: "A follower that arrives while the feed looks for events waits for the event after the next one.",
    file: "src/domain/events/event-feed.ts",
    text: "else while (this.#last < last && (await this.#append()));\n    this.#notify();",
    replacement: "else while (this.#last < last && (await this.#append()));",
  },
  {
    name: "purge-in-memory",
    effect:
      "A node keeps the events of a purged user in its memory, and sends them to followers that resume.",
    file: "src/domain/events/event-feed.ts",
    text: 'if (page.events.some(({ type }) => type === "user.purged")) this.#forget(this.#last);',
    replacement: "",
  },
];
