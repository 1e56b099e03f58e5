import {
  earlierUserColumns,
  insertUsers,
  toUserValues,
  userValueColumns,
} from "../../postgres/write-statements.ts";
import { Columns, JsonStatement } from "../../sql/json-statement.ts";
import { type Row, type Table, type TableName, tables } from "../archive.ts";
import { parseUserRow } from "../archived-user.ts";
import { IF_UPDATED, SELECT_UPDATED, updateState } from "./archive-statements.ts";

/** The move state before and after a chunk of rows. */
interface StateChange {
  readonly from: string;
  readonly to: string;
}

/** How the archive counts, clears and fills a table. */
interface TableHooks {
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
  count: "SELECT sum(users) FROM roster.user_counts",
  derivedTables: ["user_values", "user_search"],
  clearDerived: ["UPDATE roster.user_counts SET users = 0"],
  copy(rows, state) {
    const users = rows.map(parseUserRow);
    const values = users.flatMap(({ row, terms }) => toUserValues(row.id, terms.values));
    return { text: copyUsers.text, values: copyUsers.parameters(state, { users, values }) };
  },
};

/** What triggers derive from rows: emptied with the table, and filled by the same triggers. */
const triggered: Partial<Record<TableName, Pick<TableHooks, "derivedTables" | "clearDerived">>> = {
  events: {
    derivedTables: ["event_usage"],
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
    count: `SELECT count(*) FROM roster.${table.name}`,
    derivedTables: [],
    clearDerived: [],
    ...triggered[table.name],
    copy: (rows, state) => ({ text: statement.text, values: statement.parameters(state, { rows }) }),
  };
}
