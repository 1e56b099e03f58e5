import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition } from "../condition.ts";
import { continueAfter, type FoundRow, type FoundRows, isComplete, type RowRequest } from "./found-rows.ts";
import { findRareCondition } from "./leading-index.ts";
import type { RowReader } from "./row-reader.ts";

/** At most this many times `maxCandidates` rows are fetched and sorted, if a scan would have to test more. */
export const MAX_SORTED_FACTOR = 5;
/** After a scan without a match, the next scan tests this many times as many rows. */
const SCAN_GROWTH = 7;
/** A scan without a match counts as this part of a match: one may be near. */
const NEAR_MATCH = 0.25;
/** To scan so few rows takes less time than to find out how many ids the conditions have. */
const FEW_SCANNED = 1000;
/** A scan that is expected to fill the page may go on for twice as many rows. */
export const SCAN_MARGIN = 2;

/**
 * Scans in the order of the list, until it is less work to sort all rows of one condition, `rare`: the rows found so far tell
 * how many rows the scan would have to test.
 */
export function* scanWhileCommon(
  rows: RowReader,
  request: RowRequest,
  shortScan: number,
): SqlSteps<FoundRows & { readonly rare?: Condition | undefined }> {
  const { maxCandidates } = rows.dialect;
  const found: FoundRow[] = [];
  let { start } = request;
  let examined = 0;
  for (let next = shortScan; ; ) {
    const scanned = yield* rows.scan(continueAfter(request, found, start), next);
    found.push(...scanned.found);
    if (isComplete(request, found) || !scanned.stopped)
      return { found, examined: scanned.examined && examined + scanned.examined };
    start = scanned.stopped;
    examined += next;
    const matchesPerRow = Math.max(found.length, NEAR_MATCH) / examined;
    const expected = Math.ceil((request.count - found.length) / matchesPerRow);
    if (expected > FEW_SCANNED) {
      const limit = Math.min(expected, MAX_SORTED_FACTOR * maxCandidates);
      const rare = yield* findRareCondition(rows.plan.conditions, limit);
      if (rare) return { found, stopped: start, rare };
    }
    if (examined >= maxCandidates) return { found, stopped: start };
    const more = found.length > 0 ? 2 * expected : SCAN_GROWTH * examined;
    next = Math.min(more, maxCandidates - examined);
  }
}

/** Scans a few rows. If so many of them match that a scan of `shortScan` rows fills the page, scans on. */
export function* scanWhileDense(
  rows: RowReader,
  request: RowRequest,
  shortScan: number,
): SqlSteps<FoundRows> {
  const few = 2 * request.count;
  const first = yield* rows.scan(request, few);
  if (!first.stopped || first.found.length === 0) return first;
  const rest = continueAfter(request, first.found, first.stopped);
  const expected = Math.ceil((SCAN_MARGIN * few * rest.count) / first.found.length);
  if (expected > shortScan) return first;
  const { found, stopped, examined } = yield* rows.scan(rest, expected);
  return { found: [...first.found, ...found], stopped, examined: examined && few + examined };
}
