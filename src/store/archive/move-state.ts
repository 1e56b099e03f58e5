import { StoreError } from "../store-error.ts";
import type { Row, TableName } from "./archive.ts";

/**
 * State of an unfinished move. The target stores it as JSON, in the transactions that write rows.
 */
export interface MoveState {
  readonly sourceIdentity: string;
  readonly sourceName: string;
  /** The command that runs the move. */
  readonly command: "move" | "restore" | "migrate";
  /** Id of the process that runs the move. */
  readonly run: string;
  /** The source changed during the move: the copied rows must be copied again. */
  readonly stale: boolean;
  /** The table being copied; undefined when all are copied. `after` is the last copied key. */
  readonly table: TableName | undefined;
  readonly after: Row | undefined;
}

/** The names in the JSON must not change: a later version of Roster must be able to continue a move. */
export function serializeMoveState({ sourceIdentity, sourceName, command, ...rest }: MoveState): string {
  return JSON.stringify({ source: sourceIdentity, shown: sourceName, doing: command, ...rest });
}

export function parseMoveState(text: string): MoveState {
  const { source: sourceIdentity, shown: sourceName, doing: command, ...rest } = JSON.parse(text);
  return { sourceIdentity, sourceName, command, ...rest };
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
