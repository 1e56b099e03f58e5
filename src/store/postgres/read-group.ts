import type { StoredUser } from "../../domain/user.ts";
import type { Connections } from "./connections.ts";

interface Waiting {
  readonly resolve: (user: StoredUser | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

const READ = "SELECT id, version, json FROM roster.users WHERE id = ANY($1::bigint[])";
const MOST_TOGETHER = 256;

/**
 * Reads users by id, as many in one statement as are asked for while others are under way: a statement costs much more
 * than one more id in it. A read never joins a statement that was sent before it, so it sees what was written before.
 */
export class ReadGroup {
  #waiting = new Map<number, Waiting[]>();
  /** When the first of them was asked for. */
  #since = 0;
  #underWay = 0;
  #scheduled = false;

  constructor(readonly connections: Connections) {}

  read(id: number): Promise<StoredUser | undefined> {
    if (this.#waiting.size === 0) this.#since = performance.now();
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(id);
      if (others) others.push({ resolve, reject });
      else this.#waiting.set(id, [{ resolve, reject }]);
      this.#schedule();
    });
  }

  /** At the end of the turn, so that every request of this turn is in. */
  #schedule(): void {
    if (this.#scheduled || this.#underWay >= this.connections.readers) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send(this.#take(), this.#since);
    });
  }

  #take(): Map<number, Waiting[]> {
    if (this.#waiting.size <= MOST_TOGETHER) {
      const all = this.#waiting;
      this.#waiting = new Map();
      return all;
    }
    const some = new Map([...this.#waiting].slice(0, MOST_TOGETHER));
    for (const id of some.keys()) this.#waiting.delete(id);
    return some;
  }

  async #send(group: Map<number, Waiting[]>, since: number): Promise<void> {
    this.#underWay++;
    if (this.#waiting.size > 0) this.#schedule();
    try {
      const ids = `{${[...group.keys()].join()}}`;
      const rows: [string, string, string][] = await this.connections.read(
        (sql) => sql.unsafe(READ, [ids]).values(),
        since,
      );
      for (const [idText, version, json] of rows) {
        const id = Number(idText);
        for (const { resolve } of group.get(id) ?? []) resolve({ id, version: Number(version), json });
        group.delete(id);
      }
      for (const missing of group.values()) for (const { resolve } of missing) resolve(undefined);
    } catch (error) {
      for (const waiting of group.values()) for (const { reject } of waiting) reject(error);
    } finally {
      this.#underWay--;
      if (this.#waiting.size > 0) this.#schedule();
    }
  }
}
