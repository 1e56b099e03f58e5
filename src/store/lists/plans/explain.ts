import type { ListExplanation, ListPlan } from "../../../contract/users/explanation-schemas.ts";
import { formatFieldPath } from "../../../domain/field-path.ts";
import { formatExpression } from "../../../domain/filter/format-expression.ts";
import type { FoundPage, ListQuery } from "../../../domain/lists/listing.ts";
import { fieldNames } from "../../../domain/lists/value-index.ts";
import type { Sql } from "../../sql/sql.ts";
import { PAUSE, type SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition, ConditionSource } from "../condition.ts";
import { fromSegment, segmentColumns } from "../sort-order.ts";
import type { Estimates, Plan, PlannedWork } from "./choose-plan.ts";
import { countInRange } from "./estimate.ts";
import { countRows, isComplete } from "./found-rows.ts";
import type { EstimatedList } from "./plan-memory.ts";
import type { Round, SearchObserver } from "./row-finder.ts";
import type { RowReader } from "./row-reader.ts";

/** Entries are counted up to this many times `maxCandidates`, to bound the work. */
const MAX_COUNTED_FACTOR = 10;

type ExplainedRound = ListExplanation["rounds"][number];
type ExplainedCondition = NonNullable<ListExplanation["estimates"]>["conditions"][number];

/** The explanation of a list that a unique value selects. */
export function explainLookup(query: ListQuery, { items }: FoundPage): ListExplanation {
  const [filter] = query.filters;
  const plan: ListPlan = { kind: "unique", ...(filter?.kind === "column" && { condition: filter.field }) };
  const found = items.length;
  return {
    order: formatOrder(query),
    plan,
    ...{ rowsRead: found, statements: 1, found, hasMore: false, complete: true },
    ...{ estimates: null, compared: [] },
    rounds: [{ phase: "page", plan, rowsExpected: 1, limit: null, rowsRead: found, matches: found }],
  };
}

/** Follows the search for a page. After each round, one more statement counts what the round has read. */
export class SearchTrace implements SearchObserver {
  readonly #rows: RowReader;
  readonly #firstEstimates: Estimates;
  /** Those of the last comparison. */
  #estimates: Estimates;
  #compared: readonly PlannedWork[] = [];
  readonly #rounds: ExplainedRound[] = [];
  /** The statements that count. They are not part of the search. */
  #statements = 0;
  #isComplete = true;
  #hasSortedByField = false;

  constructor({ rows, estimates }: EstimatedList) {
    this.#rows = rows;
    this.#firstEstimates = estimates;
    this.#estimates = estimates;
  }

  compared(plans: readonly PlannedWork[], estimates: Estimates): void {
    this.#compared = plans;
    this.#estimates = estimates;
  }

  *finished(round: Round): SqlSteps<void> {
    const { work, request, limit = 0, part, result } = round;
    const counted = yield* countStatements(this.#countReads(round));
    this.#statements += counted.statements;
    this.#isComplete = !work || !result.stopped;
    const isLimited = (part?.maxEntries ?? part?.last) !== undefined;
    this.#rounds.push({
      phase: request.withJson ? "page" : "offset",
      plan: toPlan(work?.plan),
      rowsExpected: Math.round(work?.reads ?? request.count),
      limit: isLimited ? limit : null,
      rowsRead: counted.result,
      matches: countRows(result),
    });
  }

  /** `statements` is the number of all statements. */
  explain({ items, next }: FoundPage, statements: number): ListExplanation {
    // Users are still to be skipped.
    const isBeforePage = next !== undefined && this.#rounds.at(-1)?.phase === "offset";
    return {
      order: formatOrder(this.#rows.query),
      plan: this.#rounds.at(-1)?.plan ?? toPlan(undefined),
      rowsRead: this.#rounds.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      statements: statements - this.#statements,
      found: items.length,
      hasMore: next !== undefined,
      complete: this.#isComplete && !isBeforePage,
      estimates: this.#explainEstimates(),
      compared: this.#compared.map(({ plan, reads, cost }) => ({
        plan: toPlan(plan),
        rowsExpected: Math.round(reads),
        microseconds: Math.round(cost),
      })),
      rounds: this.#rounds,
    };
  }

  *#countReads(round: Round): SqlSteps<number> {
    const { work, result } = round;
    if (work?.plan.kind === "sort") return yield* this.#countSorted(work.plan);
    if (work?.plan.kind === "index") return yield* this.#countEntries(work.plan, round);
    if (!work) return countRows(result);
    const [row] = yield this.#countWalked(round);
    return Number(row?.[0]) + (work.plan.within ? yield* this.#countAll(work.plan.within) : 0);
  }

  /** A sort by a custom field keeps what it has sorted for its next round. Other sorts begin again. */
  *#countSorted({ condition }: Exclude<Plan, { kind: "walk" }>): SqlSteps<number> {
    if (this.#hasSortedByField) return 0;
    this.#hasSortedByField = typeof this.#rows.query.sort !== "string";
    return yield* this.#countAll(condition);
  }

  *#countAll(condition: Condition): SqlSteps<number> {
    const range = { descending: false, after: undefined, last: undefined };
    return yield* countInRange(condition, range, this.#maxCounted);
  }

  *#countEntries(
    { condition }: Exclude<Plan, { kind: "walk" }>,
    { request, part, result }: Round,
  ): SqlSteps<number> {
    const last = endOf(request, result)?.id ?? part?.last;
    const range = { descending: this.#rows.query.descending, after: request.start.id, last };
    // Only a round that skips reads no more than that. Others may take several chunks.
    const maxEntries = request.skip ? part?.maxEntries : undefined;
    return yield* countInRange(condition, range, maxEntries ?? this.#maxCounted);
  }

  get #maxCounted(): number {
    return MAX_COUNTED_FACTOR * this.#rows.dialect.maxCandidates;
  }

  /** Counts the rows from the start of a round to its end. */
  #countWalked({ request, limit = request.count, result }: Round): Sql {
    const { segment, start } = request;
    const { dialect, resource, query } = this.#rows;
    const { id, key } = segmentColumns(resource, segment);
    const { text, values } = fromSegment(dialect, resource, segment, { descending: query.descending, start });
    const end = endOf(request, result);
    const upTo = query.descending ? ">=" : "<=";
    const isBefore: Sql =
      end?.id === undefined
        ? { text: "TRUE", values: [] }
        : key
          ? { text: `(d.key, d.id) ${upTo} (?, ?)`, values: [end.key, end.id] }
          : { text: `d.id ${upTo} ?`, values: [end.id] };
    return {
      text: `SELECT count(*) FROM (SELECT ${id} AS id, ${key ?? "NULL"} AS key ${text} LIMIT ?) d WHERE ${isBefore.text}`,
      values: [...values, limit, ...isBefore.values],
    };
  }

  #explainEstimates(): ListExplanation["estimates"] {
    const { plan, hasConditions } = this.#rows;
    if (!hasConditions && !plan.matches) return null;
    const { rows, entries, matchesPerRow } = this.#estimates;
    const conditions = plan.conditions.map((condition): ExplainedCondition => {
      const estimate = entries.get(condition);
      if (!estimate) return { condition: formatSource(condition.source), entries: null, exact: false };
      const { perRow, count, isExact } = estimate;
      // The first estimates only know that there are few.
      const isCounted = estimate !== this.#firstEstimates.entries.get(condition);
      const exact = isCounted && isExact;
      const atLeast = isCounted ? count : 0;
      return {
        condition: formatSource(condition.source),
        entries: exact ? count : Math.max(atLeast, Math.round(perRow * rows)),
        exact,
      };
    });
    // Some parts also have an index of words.
    const indexed = new Set(
      plan.conditions.flatMap(({ source }) => (typeof source === "string" ? [] : source)),
    );
    for (const expression of plan.unindexed)
      if (!indexed.has(expression))
        conditions.push({ condition: formatSource([expression]), entries: null, exact: false });
    return { rows, matches: Math.round(rows * matchesPerRow), conditions };
  }
}

/** The last row that a round read. Undefined if it read to its limit, or to the end of the list. */
function endOf(request: Round["request"], result: Round["result"]) {
  return result.stopped ?? (isComplete(request, result) ? result.found.at(-1) : undefined);
}

function toPlan(plan: Plan | undefined): ListPlan {
  if (!plan) return { kind: "all" };
  const condition = plan.kind === "walk" ? plan.within : plan.condition;
  return { kind: plan.kind, ...(condition && { condition: formatCondition(condition) }) };
}

function formatCondition({ source, parts }: Condition): string {
  return parts ? parts.map(formatCondition).join(" and ") : formatSource(source);
}

function formatSource(source: ConditionSource): string {
  if (typeof source === "string") return source;
  const [first] = source;
  return formatExpression(first && source.length === 1 ? first : { kind: "and", operands: source });
}

/** As a caller writes it. */
function formatOrder({ sort, descending }: Pick<ListQuery, "sort" | "descending">): string {
  const name = typeof sort === "string" ? sort : formatFieldPath(fieldNames(sort.custom));
  return descending ? `-${name}` : name;
}

/** Runs steps, and counts their statements. */
export function* countStatements<T>(steps: SqlSteps<T>): SqlSteps<{ result: T; statements: number }> {
  let statements = 0;
  let step = steps.next();
  while (!step.done) {
    if (step.value !== PAUSE) statements++;
    step = steps.next(yield step.value);
  }
  return { result: step.value, statements };
}
