import { isDeepStrictEqual } from "node:util";
import type { Origin } from "../../domain/caller.ts";
import { describeChanges } from "../../domain/events/event.ts";
import { valueKinds } from "../../domain/lists/value-index.ts";
import { checkPrecondition, type Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { parseStoredSchema } from "../../domain/schema/parse-schema.ts";
import {
  noSchema,
  type SchemaStore,
  type StoredSchema,
  type ValuePosition,
  type ValueStep,
} from "../../domain/schema/schema-store.ts";
import type { EngineOf } from "../sql/engine.ts";
import { type Sql, type SqlValue, sql } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { toStoredActor } from "../sql/stored-actor.ts";
import type { TableDialect } from "../sql/table-dialect.ts";
import { parseCollecting } from "./schema-state.ts";

/** Collecting ends if no step follows for so long, for example because its node was killed. */
const LEASE_MS = 30_000;
/** Values of a step. Other writes wait while a step collects. */
const COLLECTED_VALUES = 500;
const COMPARED_VALUES = 5000;
const REMOVED_VALUES = 500;
/** There is one schema. */
const SCHEMA_ID = 1;

/** Every statement on the tables of the schema, for any engine. Writes must run in a transaction. */
export class SchemaTables {
  readonly #dialect: TableDialect;
  readonly #select: string;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
    this.#select = `SELECT version, json, created_at FROM ${dialect.schema}schema_versions`;
  }

  *current(): SqlSteps<StoredSchema> {
    const [row] = yield sql(`${this.#select} ORDER BY version DESC LIMIT 1`);
    return row ? toSchema(row) : noSchema;
  }

  *versions(before: number, limit: number): SqlSteps<StoredSchema[]> {
    const text = `${this.#select} WHERE version < ? ORDER BY version DESC LIMIT ?`;
    return (yield sql(text, before, limit)).map(toSchema);
  }

  /** Users after this id, as pairs of an id and JSON. */
  *readUsers(after: number, limit: number): SqlSteps<[number, string][]> {
    const text = `SELECT id, json FROM ${this.#dialect.schema}users WHERE id > ? ORDER BY id LIMIT ?`;
    return (yield sql(text, after, limit)).map(([id, json]) => [Number(id), String(json)]);
  }

  *compareValues(field: string, after: ValuePosition | undefined): SqlSteps<ValueStep> {
    const rows = yield* this.#readValues(field, after, COMPARED_VALUES);
    const duplicates = rows.flatMap(({ value, userId }, index) => {
      const before = index === 0 ? after : rows[index - 1];
      return before && before.value === value && before.userId !== userId
        ? [{ field, ids: [before.userId, userId] as const }]
        : [];
    });
    return { duplicates, next: rows.length < COMPARED_VALUES ? undefined : rows.at(-1) };
  }

  *put(
    json: string,
    by: Origin,
    precondition: Precondition | undefined,
    token?: string,
  ): SqlSteps<StoredSchema> {
    yield* this.#lock("schemaChange");
    const before = yield* this.current();
    if (precondition) checkPrecondition(precondition, { id: SCHEMA_ID, version: before.version }, "schema");
    const [from, to] = [JSON.parse(before.json), JSON.parse(json)];
    const collected = token === undefined ? [] : (yield* this.#requireToken(token)).fields;
    if (token !== undefined) yield* this.cancelUnique(token);
    requireCollected(before.json, json, collected);
    if (isDeepStrictEqual(from, to)) return before;
    const now = Date.now();
    const version = before.version + 1;
    yield sql(
      `INSERT INTO ${this.#dialect.schema}schema_versions (version, json, created_at, created_by) VALUES (?, ?, ?, ?)`,
      version,
      json,
      now,
      toStoredActor(by.actor),
    );
    const event = { type: "schema.updated", subjectId: SCHEMA_ID, version, by, record: json } as const;
    yield this.#dialect.appendEvent({ ...event, changes: describeChanges(from, to) }, now);
    return { version, json, createdAt: now };
  }

  *beginUnique(token: string, fields: readonly string[]): SqlSteps<void> {
    yield* this.#lock("schemaChange");
    const [row] = yield sql(`SELECT collecting, ${this.#dialect.now} FROM ${this.#dialect.state}`);
    const now = Number(row?.[1]);
    if (parseCollecting(row?.[0], now)) {
      throw new ProblemError("unavailable", "Another request is making a field unique. Try again later.");
    }
    yield* this.#setCollecting(token, fields, now);
  }

  *collectValues(token: string, field: string, after: ValuePosition | undefined): SqlSteps<ValueStep> {
    yield* this.#lock("schema");
    const { fields, now } = yield* this.#requireToken(token);
    yield* this.#setCollecting(token, fields, now);
    const rows = yield* this.#readValues(field, after, COLLECTED_VALUES);
    const last = rows.at(-1);
    if (!last) return { duplicates: [], next: undefined };
    const { text, values } = this.#range(field, after, last);
    const table = `${this.#dialect.schema}unique_values`;
    yield sql(
      `INSERT INTO ${table} (field, value, user_id)
       SELECT DISTINCT field, value, user_id FROM ${this.#dialect.schema}user_values WHERE ${text}
       ON CONFLICT (field, value) DO NOTHING`,
      ...values,
    );
    // A user that the index of values has, and the unique values do not.
    const missing = yield sql(
      `SELECT v.user_id, u.user_id FROM (SELECT field, value, user_id FROM ${this.#dialect.schema}user_values WHERE ${text}) v
       JOIN ${table} u ON u.field = v.field AND u.value = v.value WHERE u.user_id <> v.user_id LIMIT 10`,
      ...values,
    );
    const duplicates = missing.map(([id, other]) => ({ field, ids: [Number(other), Number(id)] as const }));
    return { duplicates, next: rows.length < COLLECTED_VALUES ? undefined : last };
  }

  *#requireToken(token: string): SqlSteps<{ fields: readonly string[]; now: number }> {
    const [row] = yield sql(`SELECT collecting, ${this.#dialect.now} FROM ${this.#dialect.state}`);
    const now = Number(row?.[1]);
    const collecting = parseCollecting(row?.[0], now);
    if (collecting?.token !== token) {
      throw new ProblemError("unavailable", "Making a field unique took too long. Try again.");
    }
    return { fields: collecting.fields, now };
  }

  *#setCollecting(token: string, fields: readonly string[], now: number): SqlSteps<void> {
    const collecting = JSON.stringify({ token, fields, until: now + LEASE_MS });
    yield sql(`UPDATE ${this.#dialect.state} SET collecting = ?`, collecting);
  }

  *cancelUnique(token: string): SqlSteps<void> {
    const [row] = yield sql(`SELECT collecting FROM ${this.#dialect.state}`);
    if (parseCollecting(row?.[0], 0)?.token !== token) return;
    yield sql(`UPDATE ${this.#dialect.state} SET collecting = NULL`);
  }

  *removeValues(): SqlSteps<number> {
    yield* this.#lock("schema");
    const { json } = yield* this.current();
    const [row] = yield sql(`SELECT collecting, ${this.#dialect.now} FROM ${this.#dialect.state}`);
    const kept = [
      ...parseStoredSchema(json).uniqueFields,
      ...(parseCollecting(row?.[0], Number(row?.[1]))?.fields ?? []),
    ];
    const table = `${this.#dialect.schema}unique_values`;
    let removed = 0;
    for (let field = yield* this.#nextField(""); field !== undefined; field = yield* this.#nextField(field)) {
      if (kept.includes(field)) continue;
      const rows = yield sql(
        `DELETE FROM ${table} WHERE field = ? AND value IN
         (SELECT value FROM ${table} WHERE field = ? ORDER BY value LIMIT ${REMOVED_VALUES - removed}) RETURNING 1`,
        field,
        field,
      );
      removed += rows.length;
      if (removed >= REMOVED_VALUES) break;
    }
    return removed;
  }

  /** The first field after this one that has unique values. */
  *#nextField(after: string): SqlSteps<string | undefined> {
    const table = `${this.#dialect.schema}unique_values`;
    const [row] = yield sql(`SELECT field FROM ${table} WHERE field > ? ORDER BY field LIMIT 1`, after);
    return row && String(row[0]);
  }

  /** The values of a field, each user once per value, in order. */
  *#readValues(field: string, after: ValuePosition | undefined, limit: number): SqlSteps<ValuePosition[]> {
    const { text, values } = this.#range(field, after);
    const rows = yield sql(
      `SELECT DISTINCT value, user_id FROM ${this.#dialect.schema}user_values WHERE ${text}
       ORDER BY value, user_id LIMIT ?`,
      ...values,
      limit,
    );
    return rows.map(([value, userId]) => ({ value: String(value), userId: Number(userId) }));
  }

  #range(field: string, after: ValuePosition | undefined, last?: ValuePosition): Sql {
    // Texts and numbers can be unique. One bound on each side: with two, SQLite can start at the lower one, and reads all values before the other again.
    const conditions = [
      { text: "field = ?", values: [field] },
      after
        ? { text: "(value, user_id) > (?, ?)", values: [after.value, after.userId] }
        : { text: `value >= '${valueKinds.number}'`, values: [] },
      last
        ? { text: "(value, user_id) <= (?, ?)", values: [last.value, last.userId] }
        : { text: `value < '${valueKinds.boolean}'`, values: [] },
    ];
    return {
      text: conditions.map(({ text }) => text).join(" AND "),
      values: conditions.flatMap(({ values }): SqlValue[] => values),
    };
  }

  *#lock(kind: "schema" | "schemaChange"): SqlSteps<void> {
    const { locks } = this.#dialect;
    if (locks) yield sql(locks[kind]);
  }
}

/** The store of the schema, for any engine. */
export function schemaStore(
  { read, readLong, write }: EngineOf<SchemaTables>,
  checkUsers: SchemaStore["checkUsers"],
): SchemaStore {
  return {
    current: (...args) => read("current", args),
    versions: (...args) => read("versions", args),
    checkUsers,
    compareValues: (...args) => readLong("compareValues", args),
    put: (...args) => write("put", args),
    beginUnique: (...args) => write("beginUnique", args),
    collectValues: (...args) => write("collectValues", args),
    cancelUnique: (...args) => write("cancelUnique", args),
    removeValues: (...args) => write("removeValues", args),
  };
}

/** Fails if another request has changed the schema since this one found out which fields become unique. */
function requireCollected(from: string, to: string, collected: readonly string[]): void {
  const unique = new Set([...parseStoredSchema(from).uniqueFields, ...collected]);
  if (parseStoredSchema(to).uniqueFields.every((field) => unique.has(field))) return;
  throw new ProblemError("unavailable", "Another request changed the schema at the same time. Try again.");
}

function toSchema([version, json, createdAt]: readonly unknown[]): StoredSchema {
  return { version: Number(version), json: String(json), createdAt: Number(createdAt) };
}
