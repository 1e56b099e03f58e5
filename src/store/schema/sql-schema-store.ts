import type { Origin } from "../../domain/caller.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Precondition } from "../../domain/precondition.ts";
import type {
  CheckedUsers,
  SchemaStore,
  StoredSchema,
  ValuePosition,
  ValueStep,
} from "../../domain/schema/schema-store.ts";
import { runWrite, type TableQueries } from "../sql/table-queries.ts";
import type { SchemaTables, SchemaWrite, SchemaWriteOutcome } from "./schema-tables.ts";

/** How an engine reads and writes the schema. */
interface SchemaQueries extends TableQueries<SchemaWrite, SchemaWriteOutcome> {
  readonly checkUsers: SchemaStore["checkUsers"];
  readonly compareValues: SchemaStore["compareValues"];
}

/** The schema store of any engine. */
export class SqlSchemaStore implements SchemaStore {
  readonly #tables: SchemaTables;
  readonly #queries: SchemaQueries;

  constructor(tables: SchemaTables, queries: SchemaQueries) {
    this.#tables = tables;
    this.#queries = queries;
  }

  current(): MaybePromise<StoredSchema> {
    return this.#queries.read(() => this.#tables.current());
  }

  versions(before: number, limit: number): MaybePromise<StoredSchema[]> {
    return this.#queries.read(() => this.#tables.versions(before, limit));
  }

  checkUsers(json: string, after: number, limit: number): Promise<CheckedUsers> {
    return this.#queries.checkUsers(json, after, limit);
  }

  async put(
    json: string,
    by: Origin,
    precondition: Precondition | undefined,
    token?: string,
  ): Promise<StoredSchema> {
    return (await runWrite(this.#queries, { kind: "put", json, by, precondition, token })).stored;
  }

  compareValues(field: string, after: ValuePosition | undefined): Promise<ValueStep> {
    return this.#queries.compareValues(field, after);
  }

  async beginUnique(token: string, fields: readonly string[]): Promise<void> {
    await runWrite(this.#queries, { kind: "begin", token, fields });
  }

  async collectValues(token: string, field: string, after: ValuePosition | undefined): Promise<ValueStep> {
    return (await runWrite(this.#queries, { kind: "collect", token, field, after })).step;
  }

  async cancelUnique(token: string): Promise<void> {
    await runWrite(this.#queries, { kind: "cancel", token });
  }

  async removeValues(): Promise<number> {
    return (await runWrite(this.#queries, { kind: "remove-values" })).removed;
  }
}
