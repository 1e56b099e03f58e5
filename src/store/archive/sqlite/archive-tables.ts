import type { Database } from "bun:sqlite";
import { LAST_POSITION } from "../../events/sqlite-events.ts";
import { searchText } from "../../lists/search-text.ts";
import { userNameValue } from "../../schema/unique-values.ts";
import { prepareInserts, termColumns } from "../../sqlite/write-statements.ts";
import type { Cell, Row, SequenceName, Table, TableName } from "../archive.ts";
import { parseUserRow } from "../archived-user.ts";

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

const userHooks: TableHooks = {
  count: "SELECT users FROM directory",
  clearDerived: [
    "DELETE FROM user_values",
    "INSERT INTO user_search (user_search) VALUES ('delete-all')",
    "UPDATE directory SET users = 0",
  ],
  prepareInsert: prepareUserInsert,
};

const hooks: Partial<Record<TableName, TableHooks>> = { users: userHooks };

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

function prepareUserInsert(db: Database): RowInserter {
  const { user, name, value, search } = prepareInserts(db, "");
  const count = db.prepare<unknown, [number]>("UPDATE directory SET users = users + ?");
  return {
    insert(rows) {
      for (const archived of rows.map(parseUserRow)) {
        const { row, createdAt, terms } = archived;
        const { id, version, json, updatedAt, changedBy } = row;
        user.run(id, version, json, createdAt, updatedAt, changedBy, ...termColumns(archived));
        const userName = userNameValue(row.userNameKey, terms);
        if (userName) name.run(userName.value, id);
        for (const row of terms.values) value.run(row.field, row.value, id, row.exact);
        search.run(id, searchText(terms));
      }
      count.run(rows.length);
    },
    finalize() {
      for (const statement of [user, name, value, search, count]) statement.finalize();
    },
  };
}
