import type { Row, TableName } from "./archive.ts";
import { StoreError } from "./store-error.ts";

/**
 * State of an unfinished move. The target stores it as JSON, in the transactions that write rows. Field names stay: an
 * upgraded Roster must be able to continue a move.
 */
export interface MoveState {
  /** Identity and name of the source. */
  readonly source: string;
  readonly shown: string;
  /** The command that runs the move. */
  readonly doing: "move" | "restore";
  /** Id of the process that runs the move. */
  readonly run: string;
  /** The source changed during the move: the copied rows must be copied again. */
  readonly stale: boolean;
  /** The table being copied; undefined when all are copied. `after` is the last copied key. */
  readonly table: TableName | undefined;
  readonly after: Row | undefined;
}

export function serializeMoveState(state: MoveState): string {
  return JSON.stringify(state);
}

export function parseMoveState(text: string): MoveState {
  return JSON.parse(text);
}

/** Error for a database with an unfinished move. */
export function unfinishedMove(displayName: string, text: string): StoreError {
  const { doing, shown: from } = parseMoveState(text);
  return new StoreError(
    `${displayName} is incomplete: \`roster ${doing}\` from ${from} has not finished. Run that command again to continue, or choose another database.`,
  );
}

/** Error for a move whose state another process has changed. */
export function moveTakenOver(): StoreError {
  return new StoreError("Another process has taken over the move into this database: let it finish.");
}

export function sameDatabase(source: string, target: string): StoreError {
  return new StoreError(
    `${source} and ${target} are the same database, or file copies of it: there is nothing to move.`,
  );
}
