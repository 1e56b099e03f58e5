import type { StoredRecord } from "../../domain/records/record.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import type { UserReads } from "../users/user-store.ts";
import type { Connections } from "./connections.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { FIND_USERS, findValues } from "./write-statements.ts";

export class PostgresUserReads implements UserReads {
  readonly #connections: Connections;
  readonly #reads: ReadBatcher;

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#reads = new ReadBatcher(connections, "users");
  }

  read(id: number): Promise<StoredRecord | undefined> {
    return this.#reads.read(id);
  }

  async find(
    ids: readonly number[],
    names: readonly string[],
    values: readonly UniqueValue[] = [],
  ): Promise<StoredRecord[]> {
    const rows = await this.#connections.withReserved(async (sql) => {
      const owners =
        values.length === 0
          ? []
          : await sql.unsafe(findValues.text, findValues.parameters({}, { values })).values();
      const allIds = [...ids, ...owners.map((row) => Number(row[2]))];
      return sql.unsafe(FIND_USERS, [`{${allIds.join()}}`, JSON.stringify(names)]).values();
    });
    return rows.map(([id, version, json]) => ({
      id: Number(id),
      version: Number(version),
      json: String(json),
    }));
  }
}
