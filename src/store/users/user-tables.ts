import { measureRecords } from "../sql/measure-records.ts";
import { sql } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";
import { findOwners, MAY_BE_UNSETTLED } from "./moving-values.ts";

/** Users that one step looks at. */
const MAX_SETTLED = 1000;

/** Users to settle, and the last of the users that were looked at; null at the end. */
interface UnsettledPart {
  readonly ids: readonly number[];
  readonly to: number | null;
}

/** Statements on the table of users that are the same on any engine. */
export class UserTables {
  readonly #dialect: TableDialect;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
  }

  measure(ids: readonly number[]): SqlSteps<ReadonlyMap<number, number>> {
    return measureRecords(this.#dialect, "users", ids);
  }

  /** The ids of the users with these folded user names; for names that nobody has, of the users with these emails. */
  *findByNames(names: readonly string[]): SqlSteps<ReadonlyMap<string, number>> {
    const { schema, elements } = this.#dialect;
    const owners = yield* findOwners(this.#dialect, true, names);
    const others = names.filter((name) => !owners.has(name));
    if (others.length === 0) return owners;
    const rows = yield sql(
      `SELECT email_key, id FROM ${schema}users
       WHERE email_key IS NOT NULL AND email_key IN (SELECT value ->> 0 FROM ${elements})`,
      JSON.stringify(others.map((name) => [name])),
    );
    return new Map([...owners, ...rows.map(([email, id]) => [String(email), Number(id)] as const)]);
  }

  /** Some of the users whose fields may have to be settled; undefined if there are no more users to look at. */
  *findUnsettled(): SqlSteps<UnsettledPart | undefined> {
    const [state] = yield sql(`SELECT settled_to FROM ${this.#dialect.state}`);
    if (!state || state[0] === null) return undefined;
    const rows = yield {
      text: `SELECT id, CASE WHEN ${MAY_BE_UNSETTLED.text} THEN 1 ELSE 0 END FROM ${this.#dialect.schema}users WHERE id > ? ORDER BY id LIMIT ?`,
      values: [...MAY_BE_UNSETTLED.values, Number(state[0]), MAX_SETTLED],
    };
    const ids = rows.flatMap(([id, isUnsettled]) => (Number(isUnsettled) === 1 ? [Number(id)] : []));
    return { ids, to: rows.length < MAX_SETTLED ? null : Number(rows.at(-1)?.[0]) };
  }

  /** Null: all users are settled. */
  *setSettled(to: number | null): SqlSteps<void> {
    yield { text: `UPDATE ${this.#dialect.state} SET settled_to = ?`, values: [to] };
  }

  *count(): SqlSteps<number> {
    const [row] = yield sql(this.#dialect.countRows("users"));
    return Number(row?.[0]);
  }
}
