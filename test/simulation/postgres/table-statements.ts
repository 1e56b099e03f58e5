import { openTables } from "../../../src/store/open-tables.ts";
import { postgresTableDialect } from "../../../src/store/postgres/table-dialect.ts";
import { sqliteTableDialect } from "../../../src/store/sqlite/table-dialect.ts";
import { type Execution, exclusive, type StatementSteps } from "./execution.ts";
import type { Cell } from "./transactions.ts";

/** Stands for the clock of the server. */
const NOW = "simulated_now";
/** Stands for FOR UPDATE. */
const LOCK_ROWS = "/* FOR UPDATE */";
const SKIP_LOCKED = "SKIP LOCKED";

/** The tables of every resource: SQL of SQLite, with the locks, the sequences and the positions of PostgreSQL. */
export const simulatedTables = openTables({
  ...postgresTableDialect,
  schema: sqliteTableDialect.schema,
  state: sqliteTableDialect.state,
  now: NOW,
  elements: sqliteTableDialect.elements,
  lockRows: LOCK_ROWS,
  countRows: sqliteTableDialect.countRows,
  countEventBytes: undefined,
});

interface TableStatement {
  readonly text: string;
  readonly writes: boolean;
  /** Whether its last parameter is the time. */
  readonly takesTime: boolean;
  /** The lock that it waits for. */
  readonly lock: string | undefined;
  /** Whether it finds nothing while another transaction has the lock. */
  readonly skipsLocked: boolean;
}

const known = new Map<string, TableStatement>();

/**
 * Runs a statement of a method of tables, or of a list. A statement that writes has a table to itself. PostgreSQL locks single rows,
 * so more statements wait here than there.
 */
export function* runTableStatement(execution: Execution): StatementSteps {
  const { text, writes, takesTime, lock, skipsLocked } = parse(execution.text);
  if (writes || lock !== undefined) execution.transaction.requireWritable();
  if (lock !== undefined) {
    const request = exclusive(lock);
    if (!skipsLocked) yield request;
    else if (!execution.tryLock(request)) return [];
  }
  const values = execution.values.map(toCell);
  if (takesTime) values.push(Math.floor(execution.now()));
  return writes ? execution.write((run) => run(text, ...values)) : execution.read(text, ...values);
}

function parse(text: string): TableStatement {
  let statement = known.get(text);
  if (!statement) {
    statement = parseNew(text);
    known.set(text, statement);
  }
  return statement;
}

function parseNew(text: string): TableStatement {
  const [, verb, written] = /^\s*(SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM)\s+(\w*)/.exec(text) ?? [];
  if (verb === undefined || /roster\.|::/.test(text))
    throw new Error(`The simulated PostgreSQL does not know this statement: ${text.trim().slice(0, 80)}`);
  const parameters = text.match(/\$\d+/g)?.length ?? 0;
  const writes = verb !== "SELECT" && verb !== "WITH";
  const [, locked] = text.includes(LOCK_ROWS) ? (/FROM (\w+)/.exec(text) ?? []) : [];
  return {
    text: text
      .replace(/\$(\d+)/g, "?$1")
      .replaceAll(NOW, `?${parameters + 1}`)
      .replace(SKIP_LOCKED, ""),
    writes,
    takesTime: text.includes(NOW),
    lock: lockOf(writes ? written : locked),
    skipsLocked: text.includes(SKIP_LOCKED),
  };
}

/** Events are appended and removed in ways that keep others out already, and erasing them again changes nothing. */
function lockOf(table: string | undefined): string | undefined {
  if (table === undefined || table === "events") return undefined;
  return table === "directory" ? "about" : `table ${table}`;
}

/** Numbers arrive as text. A column of texts makes a text of a number again. */
function toCell(value: string | null): Cell {
  return value !== null && /^-?(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value;
}
