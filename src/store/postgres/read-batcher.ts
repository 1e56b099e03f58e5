import type { StoredUser } from "../../domain/user.ts";
import type { Connections } from "./connections.ts";

interface PendingRead {
  readonly id: number;
  readonly resolve: (user: StoredUser | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

const READ = "SELECT id, version, json FROM roster.users WHERE id = ANY($1::bigint[])";
const MOST_TOGETHER = 256;

/**
 * Reads users by id, as many in one statement as are asked for while others are under way: a statement costs much more
 * than one more id in it. A read never joins a statement that was sent before it, so it sees what was written before.
 */
export class ReadBatcher {
  #waiting: PendingRead[] = [];
  /** When the first of them was asked for. */
  #since = 0;
  #underWay = 0;
  #scheduled = false;
  readonly #send = () => {
    this.#scheduled = false;
    this.#ask(this.#waiting.splice(0, MOST_TOGETHER), this.#since);
    this.#schedule();
  };

  constructor(readonly connections: Connections) {}

  read(id: number): Promise<StoredUser | undefined> {
    if (this.#waiting.length === 0) this.#since = performance.now();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      this.#schedule();
    });
  }

  /** At the end of the turn, so that every request of this turn is in. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay >= this.connections.readers) return;
    this.#scheduled = true;
    setImmediate(this.#send);
  }

  async #ask(group: readonly PendingRead[], since: number): Promise<void> {
    this.#underWay++;
    try {
      const ids = `{${group.map(({ id }) => id).join()}}`;
      const rows: [string, string, string][] = await this.connections.read(
        (sql) => sql.unsafe(READ, [ids]).values(),
        since,
      );
      const found = new Map<number, StoredUser>();
      for (const [id, version, json] of rows) {
        found.set(Number(id), { id: Number(id), version: Number(version), json });
      }
      for (const { id, resolve } of group) resolve(found.get(id));
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      this.#underWay--;
      this.#schedule();
    }
  }
}
