import type { Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition } from "../condition.ts";
import type { IdRange } from "../id-range.ts";

/** The condition whose index to read, and the last id to read from it; undefined for all that remain. */
export interface LeadingIndex {
  readonly condition: Condition;
  readonly last: number | undefined;
}

/** One list of ids of a condition, and the id that its first `SAMPLE_IDS` ids reach. */
interface SampledList {
  readonly condition: Condition;
  readonly idList: (range: IdRange) => Sql;
  readonly reach: number;
}

/** So many ids of each list tell which one has the rarest ids. */
const SAMPLE_IDS = 100;

type Direction = Pick<IdRange, "descending" | "after">;

/**
 * Chooses the condition with the rarest matches ahead: the one whose next ids reach farthest, or one that has fewer than
 * `maxCandidates` ids left. Undefined if every condition has many ids, in no order.
 */
export function* chooseLeadingIndex(
  conditions: readonly Condition[],
  maxCandidates: number,
  direction: Direction,
): SqlSteps<LeadingIndex | undefined> {
  const { rare, sampled } = yield* sampleLists(conditions, maxCandidates, direction);
  if (rare) return { condition: rare, last: undefined };
  const [rarest] = sampled;
  const last = rarest && (yield* findReach(rarest.idList, maxCandidates, direction));
  if (rarest && last === undefined) return { condition: rarest.condition, last };
  const condition = yield* findFewUnordered(conditions, maxCandidates);
  return condition ? { condition, last: undefined } : rarest && { condition: rarest.condition, last };
}

const FROM_START: Direction = { descending: false, after: undefined };

/** Finds a condition that has fewer than `limit` ids in all. */
export function* findRareCondition(
  conditions: readonly Condition[],
  limit: number,
): SqlSteps<Condition | undefined> {
  const { rare, sampled } = yield* sampleLists(conditions, limit, FROM_START);
  if (rare) return rare;
  for (const { condition, idList } of sampled) {
    if ((yield* findReach(idList, limit, FROM_START)) === undefined) return condition;
  }
  return yield* findFewUnordered(conditions, limit);
}

/** Whether at least one in `factor` ids ahead is in every list, as far as the first ones tell. */
export function* isDenseAhead(
  conditions: readonly Condition[],
  after: number | undefined,
  factor: number,
): SqlSteps<boolean> {
  for (const { order, idLists } of conditions) {
    if (order === "none") return false;
    for (const idList of idLists) {
      const reach = yield* findReach(idList, SAMPLE_IDS, { descending: false, after });
      if (reach === undefined || reach - (after ?? 0) > factor * SAMPLE_IDS) return false;
    }
  }
  return true;
}

/** Whether fewer than `SAMPLE_IDS` ids are left in the first list of a condition. */
export function* isRareAhead({ idLists: [first] }: Condition, direction: Direction): SqlSteps<boolean> {
  return first !== undefined && (yield* findReach(first, SAMPLE_IDS, direction)) === undefined;
}

/** The lists that are in order, the rarest ids first; or a condition that has few ids left. */
function* sampleLists(
  conditions: readonly Condition[],
  maxCandidates: number,
  direction: Direction,
): SqlSteps<{ rare?: Condition; sampled: readonly SampledList[] }> {
  const selective = conditions.find((condition) => condition.selective);
  if (selective) return { rare: selective, sampled: [] };
  const lists = conditions.flatMap((condition) =>
    condition.order === "none" ? [] : condition.idLists.map((idList) => ({ condition, idList })),
  );
  const sampled: SampledList[] = [];
  for (const { condition, idList } of lists) {
    // There is nothing to compare one list with.
    const reach =
      lists.length > 1 ? yield* findReach(idList, Math.min(SAMPLE_IDS, maxCandidates), direction) : 0;
    if (reach === undefined) return { rare: condition, sampled };
    sampled.push({ condition, idList, reach });
  }
  const sign = direction.descending ? -1 : 1;
  return { sampled: sampled.sort((a, b) => sign * (b.reach - a.reach)) };
}

/** Ids in no order are counted from the start: the index does not skip those before a position. */
function* findFewUnordered(conditions: readonly Condition[], limit: number): SqlSteps<Condition | undefined> {
  for (const condition of conditions) {
    const [idList] = condition.order === "none" ? condition.idLists : [];
    if (idList && (yield* findReach(idList, limit, FROM_START)) === undefined) return condition;
  }
  return undefined;
}

/** The id that the next `count` ids of a list reach; undefined if fewer are left. */
function* findReach(
  idList: SampledList["idList"],
  count: number,
  direction: Direction,
): SqlSteps<number | undefined> {
  const { text, values } = idList({ ...direction, last: undefined });
  const [row] = yield { text: `${text} LIMIT 1 OFFSET ?`, values: [...values, count - 1] };
  return row && Number(row[0]);
}
