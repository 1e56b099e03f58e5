import type { UserRecord } from "../../contract/users/user.ts";
import { settleRecord, UNSETTLED_TEXTS } from "../../domain/users/settle-user.ts";
import { parseUser, userNameKey } from "../../domain/users/user.ts";
import type { MigrationState } from "../migration.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { PAUSE, type SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** Values of one field that the next start of a service moves, because users cannot have them there any more. */
export interface MovingValues {
  readonly field: string;
  readonly to: string;
  readonly users: number;
  /** The first ids of these users. */
  readonly ids: readonly number[];
}

/** Values that the next start moves. If not all users were looked at, they may have more. */
export interface MovingFields {
  readonly fields: readonly MovingValues[];
  /** The last user that was looked at; undefined if all were. */
  readonly stoppedAt: number | undefined;
}

/** Holds for every user that has a field which Roster did not always define, and for some others. */
export const MAY_BE_UNSETTLED: Sql = {
  text: `(${UNSETTLED_TEXTS.map(() => "json LIKE ?").join(" OR ")})`,
  values: UNSETTLED_TEXTS.map((text) => `%${text}%`),
};

const MAX_IDS = 10;
const STEP_USERS = 500;
/** User names that are remembered to find duplicates: about 100 MB. */
const MAX_NAMES = 1_000_000;

/** The migration that begins to store user names, and how far users are settled. */
const FIRST_MIGRATION = "0006_user_names";

/** What this module needs to know about an engine. */
type Tables = Pick<TableDialect, "schema" | "state" | "elements">;

/**
 * Finds the values that the next start moves, on a database of this version or of an earlier one. Reads users in steps. Undefined if
 * all users are settled.
 */
export function* findMovingValues(
  tables: Tables,
  { version, isEarlier }: MigrationState,
  migrations: readonly { readonly name: string }[],
  maxNames = MAX_NAMES,
): SqlSteps<MovingFields | undefined> {
  if (version === 0) return undefined;
  const hasNames = !isEarlier && migrations.slice(0, version).some(({ name }) => name === FIRST_MIGRATION);
  const settledTo = hasNames ? yield* readSettledTo(tables) : 0;
  return settledTo === null ? undefined : yield* lookAtUsers(tables, hasNames, settledTo, maxNames);
}

function* readSettledTo({ state }: Tables): SqlSteps<number | null> {
  const [row] = yield sql(`SELECT settled_to FROM ${state}`);
  const settledTo = row?.[0] ?? null;
  return settledTo === null ? null : Number(settledTo);
}

function* lookAtUsers(
  tables: Tables,
  hasNames: boolean,
  first: number,
  maxNames: number,
): SqlSteps<MovingFields> {
  const found = new Map<string, MovingValues>();
  /** The user names that users keep, with the ids of the users. */
  const kept = new Map<string, number>();
  const keepers = new Set<number>();
  for (let after = first; ; ) {
    const rows = yield {
      text: `SELECT id, CASE WHEN ${MAY_BE_UNSETTLED.text} THEN json END FROM ${tables.schema}users WHERE id > ? ORDER BY id LIMIT ?`,
      values: [...MAY_BE_UNSETTLED.values, after, STEP_USERS],
    };
    const candidates = rows.flatMap(([id, json]) => {
      if (json === null) return [];
      const { record } = parseUser(String(json));
      return [{ id: Number(id), record, nameKey: userNameKey(record) }];
    });
    const names = candidates.flatMap(({ nameKey }) => nameKey ?? []);
    const owners = names.length === 0 ? new Map() : yield* findOwners(tables, hasNames, names);
    for (const { id, record, nameKey } of candidates) {
      const owner = nameKey === null ? undefined : (kept.get(nameKey) ?? owners.get(nameKey));
      // A user that keeps its userName no longer has its email as user name.
      const isFree = owner === undefined || owner === id || (keepers.has(owner) && !kept.has(nameKey ?? ""));
      const settled = settleRecord(record, isFree);
      for (const move of movesBetween(record, settled)) addMove(found, id, move);
      const keptName = userNameKey(settled);
      if (keptName === null) continue;
      kept.set(keptName, id);
      keepers.add(id);
    }
    const fields = [...found.values()];
    const last = Number(rows.at(-1)?.[0]);
    if (rows.length < STEP_USERS) return { fields, stoppedAt: undefined };
    if (kept.size >= maxNames) return { fields, stoppedAt: last };
    after = last;
    yield PAUSE;
  }
}

/** Which users have these user names. Without stored user names, the emails are the user names. */
export function* findOwners(
  { schema, elements }: Tables,
  hasNames: boolean,
  names: readonly string[],
): SqlSteps<ReadonlyMap<string, number>> {
  const requested = `(SELECT value ->> 0 FROM ${elements})`;
  const values = JSON.stringify(names.map((name) => [name]));
  const emails = `SELECT email_key, id FROM ${schema}users WHERE email_key IS NOT NULL AND email_key IN ${requested}`;
  const rows = hasNames
    ? yield sql(
        `${emails} AND user_name_key IS NULL
         UNION ALL SELECT name, user_id FROM ${schema}user_names WHERE name IN ${requested}`,
        values,
        values,
      )
    : yield sql(emails, values);
  return new Map(rows.map(([name, id]) => [String(name), Number(id)]));
}

/** The fields whose values are in other fields of the settled record. Both records have them in the same order. */
function movesBetween(record: UserRecord, settled: UserRecord): { field: string; to: string }[] {
  const added = Object.keys(settled).filter((field) => !Object.hasOwn(record, field));
  return Object.entries(record)
    .filter(([field, value]) => !Object.hasOwn(settled, field) && value !== null)
    .flatMap(([field], index) => {
      const to = added[index];
      return to === undefined ? [] : [{ field, to }];
    });
}

function addMove(found: Map<string, MovingValues>, id: number, move: { field: string; to: string }): void {
  const key = `${move.field} ${move.to}`;
  const { users, ids } = found.get(key) ?? { users: 0, ids: [] };
  found.set(key, { ...move, users: users + 1, ids: ids.length < MAX_IDS ? [...ids, id] : ids });
}
