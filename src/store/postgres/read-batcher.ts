import type { StoredRecord } from "../../domain/records/record.ts";
import type { Connections } from "./connections.ts";

interface PendingRead {
  readonly id: number;
  readonly resolve: (row: StoredRecord | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

export type TableOfRecords = "users" | "groups";

export function readByIds(table: TableOfRecords): string {
  return `SELECT id, version, json FROM roster.${table} WHERE id = ANY($1::bigint[])`;
}

const MAX_BATCH = 256;

/**
 * Combines reads of a table by id into one statement while other statements run: a statement costs much more than one more id in it.
 * A read never joins a statement already sent, so it sees all earlier writes.
 */
export class ReadBatcher {
  readonly #connections: Connections;
  readonly #statement: string;
  #pending: PendingRead[] = [];
  /** When the oldest pending read was requested. */
  #firstRequestedAt = 0;
  #running = 0;
  #scheduled = false;
  readonly #send = () => {
    this.#scheduled = false;
    this.#readBatch(this.#pending.splice(0, MAX_BATCH), this.#firstRequestedAt);
    this.#schedule();
  };

  constructor(connections: Connections, table: TableOfRecords) {
    this.#connections = connections;
    this.#statement = readByIds(table);
  }

  read(id: number): Promise<StoredRecord | undefined> {
    if (this.#pending.length === 0) this.#firstRequestedAt = this.#connections.clock.running();
    return new Promise((resolve, reject) => {
      this.#pending.push({ id, resolve, reject });
      this.#schedule();
    });
  }

  /** Sends at the end of the event loop's turn, to include all reads of this turn. */
  #schedule(): void {
    if (this.#scheduled || this.#pending.length === 0 || this.#running >= this.#connections.readConnections)
      return;
    this.#scheduled = true;
    setImmediate(this.#send);
  }

  async #readBatch(batch: readonly PendingRead[], since: number): Promise<void> {
    this.#running++;
    try {
      const ids = `{${batch.map(({ id }) => id).join()}}`;
      const rows = await this.#connections.read((sql) => sql.unsafe(this.#statement, [ids]).values(), since);
      const found = new Map<number, StoredRecord>();
      for (const [id, version, json] of rows) {
        found.set(Number(id), { id: Number(id), version: Number(version), json: String(json) });
      }
      for (const { id, resolve } of batch) resolve(found.get(id));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running--;
      this.#schedule();
    }
  }
}
