import type { Condition } from "./conditions.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** Which condition's index is to lead, and up to which id it was asked; undefined when to its end. */
export interface LeadingIndex {
  readonly condition: Condition;
  readonly last: number | undefined;
}

/**
 * The condition whose index gets farthest in as many entries as may be looked at, and up to which id that is;
 * undefined when it has fewer than that left.
 */
export function* chooseLeadingIndex(
  conditions: readonly Condition[],
  maxCandidates: number,
  descending: boolean,
  after: number | undefined,
): SqlSteps<LeadingIndex> {
  let best: { condition: Condition; last: number } | undefined;
  for (const condition of [...conditions].sort((a, b) => Number(b.selective) - Number(a.selective))) {
    const last = yield* reach(condition, maxCandidates, descending, after);
    if (last === undefined) return { condition, last };
    if (!best || (descending ? last < best.last : last > best.last)) best = { condition, last };
  }
  if (!best) throw new Error("A list without conditions has none that leads.");
  return best;
}

function* reach(
  condition: Condition,
  maxCandidates: number,
  descending: boolean,
  after: number | undefined,
): SqlSteps<number | undefined> {
  if (condition.selective) return undefined;
  let farthest: number | undefined;
  for (const list of condition.idLists) {
    const { text, values } = list({ descending, after, last: undefined });
    const [row] = yield { text: `${text} LIMIT 1 OFFSET ${maxCandidates - 1}`, values };
    if (!row) return undefined;
    const id = Number(row[0]);
    if (farthest === undefined || (descending ? id < farthest : id > farthest)) farthest = id;
  }
  return farthest;
}
