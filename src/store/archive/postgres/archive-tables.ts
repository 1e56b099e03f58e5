import { EVENT_COLUMNS } from "../../events/event-tables.ts";
import {
  earlierUserColumns,
  insertUsers,
  toUserValues,
  userValueColumns,
} from "../../postgres/write-statements.ts";
import { Columns, JsonStatement } from "../../sql/json-statement.ts";
import { type Row, type Table, type TableName, tables } from "../archive.ts";
import { parseUserRow } from "../archived-user.ts";
import { IF_UPDATED, lastValue, SELECT_UPDATED, updateState } from "./archive-statements.ts";

/** The move state before and after a chunk of rows. */
interface StateChange {
  readonly from: string;
  readonly to: string;
}

/** How the archive counts, clears and fills a table. */
interface TableHooks {
  /** The rows, as a FROM item. */
  readonly from: string;
  readonly count: string;
  /** Tables filled from the rows of this one. */
  readonly derivedTables: readonly string[];
  /** Statements that clear other data derived from the rows. */
  readonly clearDerived: readonly string[];
  /** A statement that inserts rows if the move state is `from`. It returns 1, or 0 if the state was another one. */
  readonly copy: (rows: readonly Row[], state: StateChange) => { text: string; values: string[] };
}

const stateTypes = { from: "text", to: "text" } as const;

const copyUsers = new JsonStatement(
  stateTypes,
  {
    users: earlierUserColumns,
    values: userValueColumns,
  },
  (value, rows) => `
  WITH ${updateState(value("from"), value("to"))}, input AS MATERIALIZED (
    SELECT * FROM ${rows("users")} WHERE ${IF_UPDATED}
  ), ${insertUsers("created_at::bigint")}, custom_fields AS (
    INSERT INTO roster.user_values (${userValueColumns.names})
    SELECT ${userValueColumns.selection} FROM ${rows("values")} WHERE ${IF_UPDATED}
  ), counted AS (
    UPDATE roster.user_counts SET users = users + (SELECT count(*) FROM input) WHERE part = 0
  ) ${SELECT_UPDATED}`,
);

const userHooks: TableHooks = {
  from: "roster.users",
  count: "SELECT sum(users) FROM roster.user_counts",
  derivedTables: ["user_names", "user_values", "user_search"],
  clearDerived: ["UPDATE roster.user_counts SET users = 0"],
  copy(rows, state) {
    const users = rows.map(parseUserRow);
    const values = users.flatMap(({ row, terms }) => toUserValues(row.id, terms.values));
    return { text: copyUsers.text, values: copyUsers.parameters(state, { users, values }) };
  },
};

/**
 * Events, and behind the last one those that are not published yet: each has the time of its append, or one more than the position
 * before. The database itself will give these the positions of a later time: a copy is not the same history.
 */
const EVENTS = `(
  SELECT position, ${EVENT_COLUMNS} FROM roster.events
  UNION ALL
  SELECT number + max(greatest(appended_at, last.position + 1) - number) OVER (ORDER BY number), ${EVENT_COLUMNS}
  FROM (SELECT *, row_number() OVER (ORDER BY key) AS number FROM roster.new_events) AS unpublished,
       (SELECT coalesce(max(position), 0) AS position FROM roster.events) AS last) AS all_events`;

/** The last position of an event, here or in a copy. */
export const LAST_POSITION = `SELECT greatest((${lastValue("event_positions")}), (SELECT max(position) FROM ${EVENTS}))`;

/** How tables differ. What triggers derive from rows is emptied with the table, and filled by the same triggers. */
const differences: Partial<Record<TableName, Partial<TableHooks>>> = {
  events: {
    from: EVENTS,
    count: `SELECT count(*) FROM ${EVENTS}`,
    derivedTables: ["event_usage", "new_events"],
    clearDerived: ["UPDATE roster.about SET uncounted_after = NULL, uncounted_to = NULL"],
  },
};

const hooks = new Map<TableName, TableHooks>(tables.map((table) => [table.name, plainHooks(table)]));
hooks.set("users", userHooks);

export function tableHooks(table: Table): TableHooks {
  return hooks.get(table.name) ?? plainHooks(table);
}

/** Every table that a move writes, with its schema. */
export const filledTables = tables
  .flatMap((table) => [table.name, ...tableHooks(table).derivedTables])
  .map((name) => `roster.${name}`)
  .join(", ");

function plainHooks(table: Table): TableHooks {
  const columns = new Columns<Row>(
    Object.entries(table.columns).map(([name, type], index) => ({
      name,
      type: type === "integer" ? "bigint" : "text",
      value: (row) => row[index] ?? null,
    })),
  );
  const statement = new JsonStatement(
    stateTypes,
    { rows: columns },
    (value, rows) => `
    WITH ${updateState(value("from"), value("to"))}, copied AS (
      INSERT INTO roster.${table.name} (${columns.names})
      SELECT ${columns.selection} FROM ${rows("rows")} WHERE ${IF_UPDATED}
    ) ${SELECT_UPDATED}`,
  );
  return {
    from: `roster.${table.name}`,
    count: `SELECT count(*) FROM roster.${table.name}`,
    derivedTables: [],
    clearDerived: [],
    copy: (rows, state) => ({ text: statement.text, values: statement.parameters(state, { rows }) }),
    ...differences[table.name],
  };
}
