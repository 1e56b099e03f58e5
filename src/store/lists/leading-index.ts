import type { Condition } from "./condition.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** The condition whose index to read, and the last id to read from it; undefined for all that remain. */
export interface LeadingIndex {
  readonly condition: Condition;
  readonly last: number | undefined;
}

/**
 * Chooses the condition with the rarest matches ahead: the one whose next `maxCandidates` ids reach farthest, or one
 * that has fewer ids left. Undefined if every condition has many ids, in no order.
 */
export function* chooseLeadingIndex(
  conditions: readonly Condition[],
  maxCandidates: number,
  descending: boolean,
  after: number | undefined,
): SqlSteps<LeadingIndex | undefined> {
  let best: { condition: Condition; last: number } | undefined;
  for (const condition of [...conditions].sort((a, b) => Number(b.selective) - Number(a.selective))) {
    const last = yield* findLastCandidate(condition, maxCandidates, descending, after);
    if (last === undefined) return { condition, last };
    if (condition.order === "none") continue;
    if (!best || (descending ? last < best.last : last > best.last)) best = { condition, last };
  }
  return best;
}

/** The id that the next `maxCandidates` ids of a condition reach; undefined if fewer are left. */
function* findLastCandidate(
  condition: Condition,
  maxCandidates: number,
  descending: boolean,
  after: number | undefined,
): SqlSteps<number | undefined> {
  if (condition.selective) return undefined;
  let farthest: number | undefined;
  for (const idList of condition.idLists) {
    // Ids in no order are read from the start: those before `after` are not skipped by the index.
    const start = condition.order === "none" ? undefined : after;
    const { text, values } = idList({ descending, after: start, last: undefined });
    const [row] = yield { text: `${text} LIMIT 1 OFFSET ${maxCandidates - 1}`, values };
    if (!row) return undefined;
    const id = Number(row[0]);
    if (farthest === undefined || (descending ? id < farthest : id > farthest)) farthest = id;
  }
  return farthest;
}
