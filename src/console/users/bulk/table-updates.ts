import type { User } from "../../../client/index.ts";
import { updateCachedUser } from "../queries.ts";

/** How often the table is shown anew: each time costs as much as it has rows. */
const SHOW_MS = 200;

/** Shows in the table what has changed, some at a time. */
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
    for (const user of users) updateCachedUser(user);
  }
}
