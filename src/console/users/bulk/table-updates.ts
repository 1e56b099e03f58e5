import type { User } from "../../../client/index.ts";
import { showNewerUsers } from "../queries.ts";

/** Time between table updates. Each one costs as much as the table has rows. */
const SHOW_MS = 200;

/** Collects changed users and updates the table in batches. */
export class TableUpdates {
  #waiting: User[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  add(user: User | undefined): void {
    if (!user) return;
    this.#waiting.push(user);
    this.#timer ??= setTimeout(() => this.flush(), SHOW_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const users = this.#waiting;
    this.#waiting = [];
    showNewerUsers(new Map(users.map((user) => [user.id, user])));
  }
}
