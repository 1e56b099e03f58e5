import type { Row, TableName } from "./archive.ts";
import { StoreError } from "./store-error.ts";

/** How far a move into a database has come. It is kept there, and changes with the rows that are written. */
export interface MoveState {
  /** Which database it comes from, and what that is called. */
  readonly source: string;
  readonly shown: string;
  readonly doing: "move" | "restore";
  /** Which process is at it. */
  readonly run: string;
  /** Whether what has been copied is of different moments, so that all of it has to be copied anew. */
  readonly stale: boolean;
  /** Every table before this one has been copied, and this one up to the key; undefined when all have been. */
  readonly table: TableName | undefined;
  readonly after: Row | undefined;
}

export function serializeMoveState(mark: MoveState): string {
  return JSON.stringify(mark);
}

export function parseMoveState(text: string): MoveState {
  return JSON.parse(text);
}

/** Why a database with a mark is not to be used. */
export function unfinishedMove(shown: string, text: string): StoreError {
  const { doing, shown: from } = parseMoveState(text);
  return new StoreError(
    `${shown} is half filled: \`roster ${doing}\` from ${from} has not finished. Run it again and it goes on, or choose another database.`,
  );
}

/** Why a move ends when the mark is not where it was left. */
export function moveTakenOver(): StoreError {
  return new StoreError("Another command that fills the same database has taken over: let it finish.");
}

export function sameDatabase(one: string, other: string): StoreError {
  return new StoreError(`${one} and ${other} are one database, or copies of one: there is nothing to move.`);
}
