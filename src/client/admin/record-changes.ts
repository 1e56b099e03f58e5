import type { RosterEvent } from "../events/event-types.ts";
import type { Client } from "../index.ts";
import type { ResourceName } from "./resources.ts";

type ChangeType = "created" | "updated" | "deleted";

/** What happened to these users or groups. Without ids, any of them may have changed. */
export interface RecordChange {
  readonly resource: ResourceName;
  readonly type: ChangeType;
  readonly ids: readonly number[];
}

type Listener = (change: RecordChange) => void;

/** Changes are collected for this long: an import of many users must not cause a reload for each. */
const COLLECT_MS = 100;

const changeTypes: Readonly<Partial<Record<string, ChangeType>>> = {
  "user.created": "created",
  "user.restored": "created",
  "user.deleted": "deleted",
  "user.purged": "deleted",
  "group.created": "created",
  "group.deleted": "deleted",
};

/** Follows the changes of users and groups once for all listeners, as long as there are any. */
export class RecordChanges {
  readonly #events: Client["events"];
  readonly #listeners = new Set<Listener>();
  readonly #collected = new Map<string, Omit<RecordChange, "ids"> & { readonly ids: Set<number> }>();
  #following: AbortController | undefined;

  constructor(events: Client["events"]) {
    this.#events = events;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#following) return;
    this.#following = new AbortController();
    void this.#follow(this.#following.signal);
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#following?.abort();
    this.#following = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of this.#events.follow({ type: ["user.*", "group.*"], signal })) {
        for (const change of toChanges(event)) this.#collect(change);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isExpired(error)) {
        console.warn("Live updates have stopped.", error);
        return;
      }
      this.#notify({ resource: "users", type: "updated", ids: [] });
      this.#notify({ resource: "groups", type: "updated", ids: [] });
      await this.#follow(signal);
    }
  }

  #collect({ resource, type, ids }: RecordChange): void {
    if (this.#collected.size === 0) setTimeout(() => this.#flush(), COLLECT_MS);
    const key = `${resource} ${type}`;
    const collected = this.#collected.get(key) ?? { resource, type, ids: new Set() };
    this.#collected.set(key, collected);
    for (const id of ids) collected.ids.add(id);
  }

  #flush(): void {
    const changes = [...this.#collected.values()];
    this.#collected.clear();
    for (const { ids, ...change } of changes) this.#notify({ ...change, ids: [...ids] });
  }

  #notify(change: RecordChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function toChanges(event: RosterEvent): readonly RecordChange[] {
  const { subject } = event;
  if (subject.type !== "user" && subject.type !== "group") return [];
  const type = changeTypes[event.type] ?? "updated";
  const change: RecordChange = { resource: `${subject.type}s`, type, ids: [subject.id] };
  if (event.type !== "group.members_changed") return [change];
  // Lists of the members of a group have other users now.
  const { added, removed } = event.changes.members;
  return [change, { resource: "users", type: "updated", ids: [...added, ...removed] }];
}

/** Whether the service no longer has the next events. Works with errors of any copy of the client. */
function isExpired(error: unknown): boolean {
  return error instanceof Error && "type" in error && error.type === "events-expired";
}
