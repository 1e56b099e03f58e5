import type { Database, Statement } from "bun:sqlite";
import type { RecordTerms } from "../../../domain/records/record.ts";
import { LAST_POSITION } from "../../events/sqlite-events.ts";
import { searchText } from "../../lists/search-text.ts";
import { userNameValue } from "../../schema/unique-values.ts";
import { groupColumns, prepareGroupInserts } from "../../sqlite/group-statements.ts";
import { prepareInserts, termColumns } from "../../sqlite/write-statements.ts";
import type { DatedGroup, DatedUser } from "../../writes/write-transaction.ts";
import type { Cell, Row, SequenceName, Table, TableName } from "../archive.ts";
import { parseGroupRow, parseUserRow } from "../archived-record.ts";

/** Inserts rows with prepared statements. Until they are finalized, SQLite cannot close the file. */
export interface RowInserter {
  insert(rows: readonly Row[]): void;
  finalize(): void;
}

/** How the archive counts, clears and fills a table. */
interface TableHooks {
  readonly count: string;
  /** Statements that clear data derived from the table's rows. */
  readonly clearDerived: readonly string[];
  readonly prepareInsert: (db: Database) => RowInserter;
}

const hooks: Partial<Record<TableName, TableHooks>> = {
  users: recordHooks({
    kind: "user",
    parse: parseUserRow,
    prepare: prepareUserInsert,
    alsoClear: ["DELETE FROM user_names"],
  }),
  groups: recordHooks({ kind: "group", parse: parseGroupRow, prepare: prepareGroupInsert, alsoClear: [] }),
};

export function tableHooks(table: Table): TableHooks {
  return (
    hooks[table.name] ?? {
      count: `SELECT count(*) FROM ${table.name}`,
      clearDerived: [],
      prepareInsert: (db) => preparePlainInsert(db, table),
    }
  );
}

/** For each sequence: `last` reads its last value, `raise` sets the value unless it is already higher. */
export const sequenceStatements: Record<SequenceName, { readonly last: string; readonly raise: string }> = {
  user_ids: {
    last: "SELECT last_id FROM directory",
    raise: "UPDATE directory SET last_id = max(last_id, ?)",
  },
  group_ids: {
    last: "SELECT last_group_id FROM directory",
    raise: "UPDATE directory SET last_group_id = max(last_group_id, ?)",
  },
  event_positions: {
    last: LAST_POSITION,
    raise: "UPDATE directory SET events_after = max(events_after, ?)",
  },
  webhook_ids: {
    last: "SELECT last_webhook_id FROM directory",
    raise: "UPDATE directory SET last_webhook_id = max(last_webhook_id, ?)",
  },
};

function preparePlainInsert(db: Database, { name, columns }: Table): RowInserter {
  const names = Object.keys(columns);
  const statement = db.prepare<unknown, Cell[]>(
    `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  return {
    insert(rows) {
      for (const row of rows) statement.run(...row);
    },
    finalize: () => statement.finalize(),
  };
}

/** A record with what engines index for it. */
interface Indexed {
  readonly row: { readonly id: number };
  readonly terms: RecordTerms;
}

/** Inserts a record into the tables that only records of its kind have. */
interface RecordInsert<Archived extends Indexed> {
  readonly insert: (archived: Archived) => void;
  readonly statements: readonly Statement[];
  /** Inserts an indexed value. */
  readonly value: Statement<void, [string, string, number, string]>;
  readonly search: Statement<void, [number, string]>;
}

/** What differs between kinds of records. */
interface RecordKind<Archived extends Indexed> {
  readonly kind: "user" | "group";
  readonly parse: (row: Row) => Archived;
  readonly prepare: (db: Database) => RecordInsert<Archived>;
  /** Statements that clear tables that only records of this kind have. */
  readonly alsoClear: readonly string[];
}

/** How users and groups are archived: their indexes and their number are not copied, but filled again. */
function recordHooks<Archived extends Indexed>({
  kind,
  parse,
  prepare,
  alsoClear,
}: RecordKind<Archived>): TableHooks {
  const number = `${kind}s`;
  return {
    count: `SELECT ${number} FROM directory`,
    clearDerived: [
      ...alsoClear,
      `DELETE FROM ${kind}_values`,
      `INSERT INTO ${kind}_search (${kind}_search) VALUES ('delete-all')`,
      `UPDATE directory SET ${number} = 0`,
    ],
    prepareInsert(db) {
      const { insert, statements, value, search } = prepare(db);
      const count = db.prepare<unknown, [number]>(`UPDATE directory SET ${number} = ${number} + ?`);
      return {
        insert(rows) {
          for (const archived of rows.map(parse)) {
            const { row, terms } = archived;
            insert(archived);
            for (const { field, value: text, exact } of terms.values) value.run(field, text, row.id, exact);
            search.run(row.id, searchText(terms));
          }
          count.run(rows.length);
        },
        finalize() {
          for (const statement of [...statements, value, search, count]) statement.finalize();
        },
      };
    },
  };
}

function prepareUserInsert(db: Database): RecordInsert<DatedUser> {
  const { user, name, value, search } = prepareInserts(db, "");
  return {
    insert(archived) {
      const { row, createdAt, terms } = archived;
      const { id, version, json, updatedAt, changedBy } = row;
      user.run(id, version, json, createdAt, updatedAt, changedBy, ...termColumns(archived));
      const userName = userNameValue(row.userNameKey, terms);
      if (userName) name.run(userName.value, id);
    },
    statements: [user, name],
    value,
    search,
  };
}

function prepareGroupInsert(db: Database): RecordInsert<DatedGroup> {
  const { group, value, search } = prepareGroupInserts(db, "");
  return {
    insert({ row, createdAt, terms }) {
      const { id, version, json, updatedAt, changedBy, memberCount } = row;
      group.run(id, version, json, createdAt, updatedAt, changedBy, memberCount, ...groupColumns(terms));
    },
    statements: [group],
    value,
    search,
  };
}
