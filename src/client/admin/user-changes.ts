import type { Client } from "../index.ts";

/** What happened to these users. Without ids, any user may have changed. */
export interface UserChange {
  readonly type: "created" | "updated" | "deleted";
  readonly ids: readonly number[];
}

type Listener = (change: UserChange) => void;

/** Changes are collected for this long: an import of many users must not cause a reload for each. */
const COLLECT_MS = 100;

const changeTypes: Readonly<Partial<Record<string, UserChange["type"]>>> = {
  "user.created": "created",
  "user.restored": "created",
  "user.updated": "updated",
  "user.deleted": "deleted",
  "user.purged": "deleted",
};

/** Follows the changes of users once for all listeners, as long as there are any. */
export class UserChanges {
  readonly #events: Client["events"];
  readonly #listeners = new Set<Listener>();
  readonly #collected = new Map<UserChange["type"], Set<number>>();
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
      for await (const event of this.#events.follow({ type: "user.*", signal })) {
        this.#collect(changeTypes[event.type] ?? "updated", event.subject.id);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isExpired(error)) {
        console.warn("Live updates have stopped.", error);
        return;
      }
      this.#notify({ type: "updated", ids: [] });
      await this.#follow(signal);
    }
  }

  #collect(type: UserChange["type"], id: number): void {
    if (this.#collected.size === 0) setTimeout(() => this.#flush(), COLLECT_MS);
    const ids = this.#collected.get(type) ?? new Set();
    this.#collected.set(type, ids.add(id));
  }

  #flush(): void {
    const changes = [...this.#collected];
    this.#collected.clear();
    for (const [type, ids] of changes) this.#notify({ type, ids: [...ids] });
  }

  #notify(change: UserChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** Whether the service no longer has the next events. Works with errors of any copy of the client. */
function isExpired(error: unknown): boolean {
  return error instanceof Error && "type" in error && error.type === "events-expired";
}
