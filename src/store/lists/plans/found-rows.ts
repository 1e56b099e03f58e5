import type { SqlValue } from "../../sql/sql.ts";
import { PAUSE, type SqlSteps } from "../../sql/sql-steps.ts";
import type { JsonObject, Matches } from "../condition.ts";
import type { Segment } from "../list-resource.ts";
import type { SortPosition } from "../sort-order.ts";

export interface FoundRow {
  readonly key: SqlValue;
  readonly id: number;
  /** Empty for rows that are only skipped or counted. */
  readonly json: Uint8Array;
}

/** Rows found in one segment, and where the search stopped if its work ran out before the segment's end. */
export interface FoundRows {
  readonly found: readonly FoundRow[];
  readonly stopped?: SortPosition | undefined;
  /** The search ended because it would have taken more work than allowed. */
  readonly isTooMuch?: boolean;
  /** How many rows were skipped, if the request skips. The last of `found` is then the last of them, unless they were only counted. */
  readonly skipped?: number;
}

export interface RowRequest {
  readonly segment: Segment;
  readonly start: SortPosition;
  readonly count: number;
  readonly withJson: boolean;
  /** What the rows belong to, for a statement that all of its kind share. */
  readonly other?: number | undefined;
  /** Skip the rows: find only the last of the `count` rows, or only count them, up to `count`. */
  readonly skip?: "last" | "count";
}

const EMPTY = new Uint8Array();
const encoder = new TextEncoder();

/** How many rows were found or skipped. */
export function countRows({ found, skipped }: FoundRows): number {
  return skipped ?? found.length;
}

/** Whether no further rows are needed. */
export function isComplete({ count }: RowRequest, result: FoundRows): boolean {
  return countRows(result) >= count;
}

/** Characters of JSON that are parsed and tested, with a long filter too, in less than a millisecond. */
const STEP_CHARACTERS = 2048;

/** Goes through rows with JSON in one column, and pauses after some of them. */
export function* inSteps(
  rows: readonly (readonly unknown[])[],
  jsonColumn: number,
  visit: (row: readonly unknown[]) => void,
): SqlSteps<void> {
  let characters = 0;
  for (const row of rows) {
    visit(row);
    const json = row[jsonColumn];
    if (typeof json === "string") characters += json.length;
    if (characters < STEP_CHARACTERS) continue;
    characters = 0;
    yield PAUSE;
  }
}

/** Converts rows of the columns id, sort key and JSON. */
export function* toFoundRows(
  segment: Pick<Segment, "keyType">,
  rows: readonly (readonly unknown[])[],
): SqlSteps<FoundRow[]> {
  const found: FoundRow[] = [];
  yield* inSteps(rows, 2, (row) => found.push(toFoundRow(segment, row)));
  return found;
}

/** What a statement for a request returned, in the columns id, sort key and JSON; in the first one, if it has counted. */
export function* toResult(
  { segment, count, skip }: RowRequest,
  rows: readonly (readonly unknown[])[],
): SqlSteps<FoundRows> {
  if (skip === "count") return { found: [], skipped: Number(rows[0]?.[0]) };
  const found = yield* toFoundRows(segment, rows);
  return skip ? { found, skipped: found.length > 0 ? count : 0 } : { found };
}

function toFoundRow(segment: Pick<Segment, "keyType">, [id, key, json]: readonly unknown[]): FoundRow {
  return {
    id: Number(id),
    key: toKey(segment, key),
    json: toBytes(json),
  };
}

/** Engines return JSON as bytes or text. */
export function toBytes(json: unknown): Uint8Array {
  return json instanceof Uint8Array ? json : typeof json === "string" ? encoder.encode(json) : EMPTY;
}

export function toKey({ keyType }: Pick<Segment, "keyType">, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  return keyType === "number" ? Number(value) : String(value);
}

/** The rows among these columns (id, sort key, JSON as text) that match, `count` at most. */
export function* matchRows(
  { segment, count, withJson }: RowRequest,
  rows: readonly (readonly unknown[])[],
  matches: Matches,
): SqlSteps<FoundRow[]> {
  const found: FoundRow[] = [];
  yield* inSteps(rows, 2, (row) => {
    if (found.length >= count) return;
    const [id, key, json] = row;
    if (matches(parseRow(json))) found.push(toFoundRow(segment, withJson ? row : [id, key]));
  });
  return found;
}

export function parseRow(json: unknown): JsonObject {
  return JSON.parse(String(json));
}

/** The position of the last row found, or the start if no row was found. */
export function positionOfLast(found: readonly Omit<FoundRow, "json">[], start: SortPosition): SortPosition {
  const last = found.at(-1);
  return last ? { segment: start.segment, key: last.key, id: last.id } : start;
}

/** The rest of a request after some of its rows were found or skipped. */
export function continueAfter(request: RowRequest, result: FoundRows, start: SortPosition): RowRequest {
  return { ...request, start, count: request.count - countRows(result) };
}
