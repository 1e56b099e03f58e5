import type { LockRequest } from "./locks.ts";
import type { Cell, Effect, Run, Transaction } from "./transactions.ts";

export type Rows = unknown[][];
export type Row = Readonly<Record<string, Cell>>;

/** Numbers that a rollback does not give back. */
export interface Sequences {
  userIds: number;
  groupIds: number;
  webhookIds: number;
  eventPositions: number;
  newEventKeys: number;
  schemaChanges: number;
}

/** What a statement needs of the server. */
export interface Execution {
  readonly transaction: Transaction;
  readonly text: string;
  readonly values: readonly (string | null)[];
  readonly sequences: Sequences;
  /** Whether the indexes of lists get their rows. */
  readonly keepsIndexes: boolean;
  readonly holdsPublishLock: boolean;
  /** Milliseconds since 1970, with fractions. */
  now(): number;
  read(text: string, ...values: Cell[]): Rows;
  /** Writes now, and again whenever the transaction is applied again. */
  write(effect: Effect): Rows;
  tryLock(request: LockRequest): boolean;
}

/** The steps of a statement: it yields each lock that it waits for, and returns its rows. */
export type StatementSteps = Generator<LockRequest, Rows>;
/** A statement that waits for no lock returns its rows at once. */
export type Handler = (execution: Execution) => Rows | StatementSteps;

export const exclusive = (key: string): LockRequest => ({ key, mode: "exclusive" });

export const IDS = "IN (SELECT value FROM json_each(?))";

/** The ids in an array like {1,2}. */
export function idsOf(array: string | null | undefined): number[] {
  const items = array?.slice(1, -1) ?? "";
  return items === "" ? [] : items.split(",").map(Number);
}

export function toNumbers(rows: Rows): number[] {
  return rows.map(([number]) => Number(number));
}

export function insertRows(run: Run, table: string, rows: readonly Row[]): Rows {
  const [first] = rows;
  if (!first) return [];
  const names = Object.keys(first);
  const text = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return rows.flatMap((row) => run(text, ...pick(row, names)));
}

export function pick(row: Row, names: readonly string[]): Cell[] {
  return names.map((name) => row[name] ?? null);
}
