import type { ValueRow } from "../../../domain/lists/value-index.ts";
import type { RecordTerms } from "../../../domain/records/record.ts";
import { EVENT_COLUMNS } from "../../events/event-tables.ts";
import {
  earlierGroupColumns,
  groupValueColumns,
  insertGroups,
  toGroupValues,
} from "../../postgres/group-statements.ts";
import {
  earlierUserColumns,
  insertUsers,
  toUserValues,
  userValueColumns,
} from "../../postgres/write-statements.ts";
import { Columns, JsonStatement } from "../../sql/json-statement.ts";
import { type Row, type Table, type TableName, tables } from "../archive.ts";
import { parseGroupRow, parseUserRow } from "../archived-record.ts";
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

/** A record with what PostgreSQL indexes for it. */
interface Indexed {
  readonly row: { readonly id: number };
  readonly terms: RecordTerms;
}

/** What differs between kinds of records. */
interface RecordKind<Archived extends Indexed, Value> {
  readonly kind: "user" | "group";
  readonly parse: (row: Row) => Archived;
  readonly columns: Columns<Archived>;
  /** Parts of a WITH clause that insert the rows of `input`. */
  readonly insert: string;
  readonly valueColumns: Columns<Value>;
  readonly toValues: (id: number, values: readonly ValueRow[]) => Value[];
  /** Tables that only records of this kind have. */
  readonly otherTables: readonly string[];
}

/** How users and groups are archived: their indexes and their number are not copied, but filled again. */
function recordHooks<Archived extends Indexed, Value>({
  kind,
  parse,
  columns,
  insert,
  valueColumns,
  toValues,
  otherTables,
}: RecordKind<Archived, Value>): TableHooks {
  const number = `${kind}s`;
  const statement = new JsonStatement(
    stateTypes,
    { records: columns, values: valueColumns },
    (value, rows) => `
  WITH ${updateState(value("from"), value("to"))}, input AS MATERIALIZED (
    SELECT * FROM ${rows("records")} WHERE ${IF_UPDATED}
  ), ${insert}, custom_fields AS (
    INSERT INTO roster.${kind}_values (${valueColumns.names})
    SELECT ${valueColumns.selection} FROM ${rows("values")} WHERE ${IF_UPDATED}
  ), counted AS (
    UPDATE roster.user_counts SET ${number} = ${number} + (SELECT count(*) FROM input) WHERE part = 0
  ) ${SELECT_UPDATED}`,
  );
  return {
    from: `roster.${number}`,
    count: `SELECT sum(${number}) FROM roster.user_counts`,
    derivedTables: [...otherTables, `${kind}_values`, `${kind}_search`],
    clearDerived: [`UPDATE roster.user_counts SET ${number} = 0`],
    copy(rows, state) {
      const records = rows.map(parse);
      const values = records.flatMap(({ row, terms }) => toValues(row.id, terms.values));
      return { text: statement.text, values: statement.parameters(state, { records, values }) };
    },
  };
}

const userHooks = recordHooks({
  kind: "user",
  parse: parseUserRow,
  columns: earlierUserColumns,
  insert: insertUsers("created_at::bigint"),
  valueColumns: userValueColumns,
  toValues: toUserValues,
  otherTables: ["user_names"],
});

const groupHooks = recordHooks({
  kind: "group",
  parse: parseGroupRow,
  columns: earlierGroupColumns,
  insert: insertGroups("input", "created_at::bigint"),
  valueColumns: groupValueColumns,
  toValues: toGroupValues,
  otherTables: [],
});

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
    derivedTables: ["event_usage", "new_events", "member_events"],
    clearDerived: ["UPDATE roster.about SET uncounted_after = NULL, uncounted_to = NULL"],
  },
};

const hooks = new Map<TableName, TableHooks>(tables.map((table) => [table.name, plainHooks(table)]));
hooks.set("users", userHooks);
hooks.set("groups", groupHooks);

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
