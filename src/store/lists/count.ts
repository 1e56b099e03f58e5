import { listLimits } from "../../contract/listing.ts";
import type { ListQuery } from "../../domain/listing.ts";
import { buildConditions } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import { chooseLeadingIndex } from "./leading-index.ts";
import type { SqlSteps } from "./sql-steps.ts";

export interface CountRound {
  readonly found: number;
  readonly last: number | undefined;
}

/** Whether a list has no conditions: its count is known without counting. */
export function isUnfiltered({ filters, search }: ListQuery): boolean {
  return filters.length === 0 && search === undefined;
}

/** A count looks through as many users as it can tell apart, and some more. */
const COUNT_ROUNDS = 12;

/** Counts the users that a filtered list has, round by round, so that other callers' lists get their turn between. */
export async function countInRounds(
  round: (after: number | undefined) => Promise<CountRound>,
): Promise<{ count: number; capped: boolean }> {
  let found = 0;
  let after: number | undefined;
  for (let rounds = 0; rounds < COUNT_ROUNDS; rounds++) {
    const answer = await round(after);
    found += answer.found;
    after = answer.last;
    if (after === undefined || found > listLimits.count) break;
  }
  const capped = after !== undefined || found > listLimits.count;
  return { count: Math.min(found, listLimits.count), capped };
}

/**
 * Counts the users beyond an id, as far as one round of bounded work gets: `last` is where the next round begins,
 * undefined when this was the last. No round counts more than can be told.
 */
export function* countRound(
  dialect: Dialect,
  query: ListQuery,
  after: number | undefined,
): SqlSteps<CountRound> {
  const conditions = buildConditions(dialect, query);
  const [only, ...others] = conditions;
  if (only?.exact && others.length === 0) {
    const { text, values } = only.selectIds({ descending: false, after, last: undefined });
    const rows = yield { text: `SELECT count(*) FROM (${text} LIMIT ${listLimits.count + 1}) d`, values };
    return { found: Number(rows[0]?.[0]), last: undefined };
  }
  const { condition, last } = yield* chooseLeadingIndex(conditions, dialect.maxCandidates, false, after);
  const ids = condition.selectIds({ descending: false, after, last });
  const testing = conditions.filter((one) => one !== condition || !one.exact);
  const tests = testing.map(({ test }) => test);
  const found = `${ids.text} ${dialect.optimizationFence}`;
  const users = testing.every(({ testsIdOnly: testsId }) => testsId)
    ? `(${found}) u`
    : dialect.joinUsers(found);
  const rows = yield {
    text: `SELECT count(*) FROM ${users} WHERE ${tests.map(({ text }) => text).join(" AND ")}`,
    values: [...ids.values, ...tests.flatMap(({ values }) => values)],
  };
  return { found: Number(rows[0]?.[0]), last };
}
