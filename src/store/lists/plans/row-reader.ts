import { type ListQuery, PAGE_BYTES } from "../../../domain/lists/listing.ts";
import { ALWAYS, allOf, joinSql, type Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition, ListPlan, Matches } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { ListResource, Segment } from "../list-resource.ts";
import { fromSegment, type SortPosition, segmentColumns } from "../sort-order.ts";
import {
  continueAfter,
  type FoundRow,
  type FoundRows,
  isComplete,
  matchRows,
  positionOfLast,
  type RowRequest,
  toFoundRows,
  toKey,
} from "./found-rows.ts";
import type { LeadingIndex } from "./leading-index.ts";

/** The most statements to keep for pages of different lengths. */
const MAX_STATEMENTS = 8;

/** Pages of up to this many rows are fetched at once. More rows could be far larger than `PAGE_BYTES`. */
export const SINGLE_FETCH_ROWS = 128;

/** Rows that are tested outside of the database are fetched in chunks: at first twice the requested rows, then more. */
const CHUNK_ROWS = { max: 1000, growth: 4 } as const;

/** If one id in a hundred matches, a range of this many ids for each skipped row has them all. */
const SKIPPED_IDS_PER_RESULT = 100;
/** The longest such range, as a multiple of `maxCandidates`. */
const MAX_SKIPPED_FACTOR = 10;

/** Reads the rows of a segment: all, in order with a test of each, or those that an index returns. */
export class RowReader {
  /** Statements from the start of a segment, by what they select. */
  readonly #firstStatements = new Map<string, Sql>();

  constructor(
    readonly dialect: Dialect,
    readonly resource: ListResource,
    readonly query: ListQuery,
    readonly plan: ListPlan,
  ) {}

  /** Without conditions: reads the sort order's index. On a long page, the first rows tell how many more fit. */
  *readAll(request: RowRequest): SqlSteps<FoundRows> {
    const { segment, start, count, withJson } = request;
    const first = withJson ? Math.min(count, SINGLE_FETCH_ROWS) : count;
    const found = yield* this.#select({ ...request, count: first });
    if (first === count || found.length < first) return { found };
    const bytes = found.reduce((sum, { json }) => sum + json.length, 0);
    const room = Math.min(count, Math.ceil((first * PAGE_BYTES) / bytes));
    if (room > first) {
      const rest = { segment, start: positionOfLast(found, start), count: room - first, withJson };
      found.push(...(yield* this.#select(rest)));
    }
    return found.length < room || room === count
      ? { found }
      : { found, stopped: positionOfLast(found, start) };
  }

  *#select(request: RowRequest): SqlSteps<FoundRow[]> {
    const { segment, start, withJson } = request;
    return yield* this.#queryRows(request, `all ${withJson}`, () => {
      const from = this.#fromSegment(segment, start);
      const { id, key } = segmentColumns(this.resource, segment);
      const json = this.#jsonColumn(undefined, withJson);
      if (segment.customField === undefined)
        return { text: `SELECT ${id}, ${key ?? "NULL"}, ${json} ${from.text}`, values: from.values };
      // Without the fence, SQLite ignores the order of the values.
      const { optimizationFence } = this.dialect;
      const rows = this.joinRows(`SELECT ${id} AS id, ${key} AS key ${from.text} ${optimizationFence}`);
      return {
        text: `SELECT d.id, d.key, ${json} FROM ${rows} ${this.#repeatOrder(segment)}`,
        values: from.values,
      };
    });
  }

  /** Reads the sort order's index and tests each row, `scanLimit` rows at most. Fast if matches are common. */
  *scan(request: RowRequest, scanLimit: number): SqlSteps<FoundRows> {
    const found: FoundRow[] = [];
    let { start } = request;
    const chunks = this.#chunkSizes(request, this.matchesOf(request.segment));
    for (let left = scanLimit; ; ) {
      const chunk = Math.min(left, chunks.next().value);
      const next = yield* this.scanOnce(continueAfter(request, found, start), chunk);
      found.push(...next.found);
      if (isComplete(request, found) || !next.stopped)
        return { found, examined: next.examined && scanLimit - left + next.examined };
      left -= chunk;
      if (left <= 0) return { found, stopped: next.stopped };
      start = next.stopped;
    }
  }

  /** Like `scan`, and tests all rows with one statement. */
  *scanOnce(request: RowRequest, scanLimit: number): SqlSteps<FoundRows> {
    const { segment, start, withJson } = request;
    if (isIdOrder(segment)) return yield* this.#scanIds(request, scanLimit);
    const matches = this.matchesOf(segment);
    const { id, key } = segmentColumns(this.resource, segment);
    const name = `scan ${scanLimit} ${withJson}`;
    const select = (from: Sql) => `SELECT ${id} AS id, ${key ?? "NULL"} AS key ${from.text} LIMIT`;
    const build = () => {
      const from = this.#fromSegment(segment, start);
      const scanned = { text: `${select(from)} ?`, values: [...from.values, scanLimit] };
      const { rows: candidates, tests } = this.candidateRows(scanned, undefined, {
        columns: ["id", "key"],
        order: this.#orderOf(segment),
      });
      return {
        text: `SELECT d.id, d.key, ${this.#jsonColumn(matches, withJson)} FROM ${candidates.text}
               WHERE ${tests.text} ${this.#repeatOrder(segment)}`,
        values: [...candidates.values, ...tests.values],
      };
    };
    const positionAfter = () => this.#positionAfter(segment, start, select, scanLimit);
    if (!matches) {
      const found = yield* this.#queryRows(request, name, build);
      if (isComplete(request, found)) return { found, examined: scanLimit };
      return { found, stopped: yield* positionAfter() };
    }
    const rows = yield this.#statement(request, name, build);
    const found = yield* matchRows(request, rows, matches);
    if (isComplete(request, found)) return { found, examined: visitedRows(rows, found) };
    const last = rows.length === scanLimit ? rows.at(-1) : undefined;
    return {
      found,
      stopped: last
        ? { segment: start.segment, key: toKey(segment, last[1]), id: Number(last[0]) }
        : !this.hasTests
          ? undefined
          : yield* positionAfter(),
    };
  }

  /** In order of id: a range of ids has at most as many rows. */
  *#scanIds(request: RowRequest, scanLimit: number): SqlSteps<FoundRows> {
    const { segment, start, withJson } = request;
    const { descending } = this.query;
    const table = this.dialect.table(this.resource.table);
    const matches = this.matchesOf(segment);
    const [after, upTo] = descending ? ["<", ">="] : [">", "<="];
    const order = `ORDER BY u.id ${descending ? "DESC" : "ASC"}`;
    const json = this.#jsonColumn(matches, withJson);
    const select = `SELECT u.id, NULL, ${json} FROM ${table} u WHERE u.id ${after} ?`;
    const first = start.id ?? (descending ? Number.MAX_SAFE_INTEGER : 0);
    const name = `scan ${scanLimit} ${withJson}`;
    if (matches && !this.hasTests) {
      const rows = yield this.#statement(request, name, () => ({
        text: `${select} ${order} LIMIT ?`,
        values: [first, scanLimit],
      }));
      const found = yield* matchRows(request, rows, matches);
      const last = rows.length === scanLimit ? rows.at(-1) : undefined;
      return isComplete(request, found) || !last
        ? { found, examined: visitedRows(rows, found) }
        : { found, stopped: { segment: start.segment, key: null, id: Number(last[0]) } };
    }
    // From the end, the range starts at the last id.
    const sign = descending ? -1 : 1;
    const end: Sql =
      descending && start.id === undefined
        ? { text: `(SELECT max(id) FROM ${table}) - ?`, values: [scanLimit] }
        : { text: "?", values: [first + sign * scanLimit] };
    const build = () =>
      joinSql({ text: `${select} AND u.id ${upTo}`, values: [first] }, end, "AND", this.testSql(), order);
    const found = matches
      ? yield* matchRows(request, yield this.#statement(request, name, build), matches)
      : yield* this.#queryRows(request, name, build);
    if (isComplete(request, found)) return { found, examined: scanLimit };
    const [next] = yield joinSql(`SELECT u.id FROM ${table} u WHERE u.id ${after}`, end, order, "LIMIT 1");
    // Ids without a row are left out.
    return { found, stopped: next && { segment: start.segment, key: null, id: Number(next[0]) - sign } };
  }

  *#positionAfter(
    segment: Segment,
    start: SortPosition,
    select: (from: Sql) => string,
    scanLimit: number,
  ): SqlSteps<SortPosition | undefined> {
    const from = this.#fromSegment(segment, start);
    const [last] = yield { text: `${select(from)} 1 OFFSET ?`, values: [...from.values, scanLimit - 1] };
    return last && { segment: start.segment, key: toKey(segment, last[1]), id: Number(last[0]) };
  }

  /**
   * In order of id: reads the leading index up to its last id and applies the other conditions. If the index is known not to be
   * short, reads at most `maxCandidates` entries.
   */
  *readIndex(
    { condition, last }: LeadingIndex,
    request: RowRequest,
    isShort?: boolean,
  ): SqlSteps<FoundRow[]> {
    const { descending } = this.query;
    const { segment, withJson, start } = request;
    const { maxCandidates, optimizationFence, repeatOrder } = this.dialect;
    const matches = this.matchesOf(segment, condition);
    const isSorted = condition.order === "known";
    const order = isSorted ? repeatOrder(["id"], descending) : "";
    const isOnly = last === undefined && this.plan.conditions.length === 1;
    const selectBounded =
      isShort === false || (isShort === undefined && isOnly) ? condition.selectBounded : undefined;
    const isBounded = isShort === false || (isShort === undefined && isOnly && !isSorted);
    const end = isBounded && !selectBounded ? `LIMIT ${maxCandidates}` : optimizationFence;
    const statement = (after: number | undefined): Sql => {
      const range = { descending, after, last };
      const ids = selectBounded?.(range, maxCandidates) ?? condition.selectIds(range);
      if (!withJson && !matches && this.testSql(condition) === ALWAYS) {
        return { text: `SELECT d.id, NULL FROM (${ids.text} ${end}) d ${order}`, values: ids.values };
      }
      const { rows, tests } = this.candidateRows(
        { text: `${ids.text} ${end}`, values: ids.values },
        condition,
        { order: isSorted ? ["id"] : [] },
      );
      return {
        text: `SELECT u.id, NULL, ${this.#jsonColumn(matches, withJson)} FROM ${rows.text} WHERE ${tests.text} ${order}`,
        values: [...rows.values, ...tests.values],
      };
    };
    if (!matches) {
      const name = `index ${this.plan.conditions.indexOf(condition)} ${isShort} ${last} ${withJson}`;
      return yield* this.#queryRows(request, name, () => statement(start.id));
    }
    const found: FoundRow[] = [];
    let after = request.start.id;
    for (const chunk of this.#chunkSizes(request, matches)) {
      const { text, values } = statement(after);
      const rows = yield { text: `${text} LIMIT ?`, values: [...values, chunk] };
      found.push(...(yield* matchRows(continueAfter(request, found, request.start), rows, matches)));
      const lastRow = rows.at(-1);
      if (isComplete(request, found) || rows.length < chunk || !lastRow) break;
      after = Number(lastRow[0]);
    }
    return found;
  }

  /**
   * Finds the last of the requested rows inside of an index of matches. Undefined if the search has to go on: where the index may
   * have many entries that do not match, a limited range of ids is examined.
   */
  *skipInIndex(condition: Condition, request: RowRequest): SqlSteps<FoundRows | undefined> {
    const { descending } = this.query;
    const { segment, start, count } = request;
    const last = condition.selectBounded ? yield* this.#lastSkippedId(start.id, count) : undefined;
    const select = condition.selectIds({ descending, after: start.id, last });
    const found = yield* toFoundRows(segment, yield limited(request, select));
    if (found.length > 0) return { found };
    if (last !== undefined && last > 0) {
      const [idList = condition.selectIds] = condition.idLists;
      const { text, values } = idList({ descending, after: last, last: undefined });
      const [further] = yield { text: `${text} LIMIT 1`, values };
      if (further) return undefined;
    }
    return { found, isEnd: true };
  }

  *#lastSkippedId(after: number | undefined, count: number): SqlSteps<number> {
    const { maxCandidates, table } = this.dialect;
    const ids = Math.min(SKIPPED_IDS_PER_RESULT * count, MAX_SKIPPED_FACTOR * maxCandidates);
    if (!this.query.descending) return (after ?? 0) + ids;
    const [row] =
      after === undefined
        ? yield { text: `SELECT max(id) FROM ${table(this.resource.table)}`, values: [] }
        : [[after]];
    return Math.max(0, Number(row?.[0]) - ids);
  }

  /** Sizes of chunks to fetch: without a test outside of the database, one chunk without a limit. */
  *#chunkSizes(request: RowRequest, matches: Matches | undefined): Generator<number, never> {
    const { max, growth } = CHUNK_ROWS;
    if (!matches) for (;;) yield Number.POSITIVE_INFINITY;
    for (let chunk = Math.min(max, 2 * request.count); ; chunk = Math.min(max, growth * chunk)) yield chunk;
  }

  /** What SQL does not test: of the list, and of the segment. Rows from a leading index may need no test of the list. */
  matchesOf({ matches }: Segment, leading?: Condition): Matches | undefined {
    const listMatches = leading?.exact && leading.coversMatches ? undefined : this.plan.matches;
    if (!matches || !listMatches) return matches ?? listMatches;
    return (row) => listMatches(row) && matches(row);
  }

  /** All conditions as tests, except a leading one whose index is exact. */
  testSql(leading?: Condition): Sql {
    return allOf(this.#testedConditions(leading).flatMap(({ test }) => test ?? []));
  }

  get hasTests(): boolean {
    return this.plan.conditions.some(({ test }) => test !== undefined);
  }

  #testedConditions(leading: Condition | undefined): readonly Condition[] {
    return this.plan.conditions.filter((condition) => condition !== leading || !condition.exact);
  }

  /**
   * The rows of a SELECT of ids in order or from a leading index, after FROM, and the tests that they still need. `columns` are
   * those of the SELECT, and `order` those that the engine knows it is sorted by.
   */
  candidateRows(
    ids: Sql,
    leading: Condition | undefined,
    { columns = ["id"], order = [] }: { columns?: readonly string[]; order?: readonly string[] } = {},
  ): { rows: Sql; tests: Sql } {
    const tested = this.#testedConditions(leading);
    const toTest = (idOnly: boolean) =>
      allOf(tested.filter(({ testsIdOnly }) => testsIdOnly === idOnly).flatMap(({ test }) => test ?? []));
    const idTests = toTest(true);
    // These tests come first: most ids may fail, and then their rows are not read.
    const passed: Sql =
      idTests === ALWAYS
        ? ids
        : joinSql(
            {
              text: `SELECT ${columns.map((column) => `u.${column}`)} FROM (${ids.text}) u WHERE`,
              values: ids.values,
            },
            idTests,
            order.length > 0 ? this.dialect.repeatOrder(order, this.query.descending, "u") : "",
            this.dialect.optimizationFence,
          );
    return { rows: { text: this.joinRows(passed.text), values: passed.values }, tests: toTest(false) };
  }

  joinRows(ids: string): string {
    return this.dialect.joinRows(this.resource.table, ids);
  }

  #fromSegment(segment: Segment, start: SortPosition): Sql {
    return fromSegment(this.dialect, this.resource, segment, this.query.descending, start);
  }

  #repeatOrder(segment: Segment): string {
    return this.dialect.repeatOrder(this.#orderOf(segment), this.query.descending);
  }

  #orderOf({ key }: Segment): string[] {
    return key ? ["key", "id"] : ["id"];
  }

  /** Rows that are tested outside of the database are parsed: as text. */
  #jsonColumn(matches: Matches | undefined, withJson: boolean): string {
    if (matches) return "u.json";
    return withJson ? this.dialect.json : "NULL";
  }

  /**
   * Runs a SELECT of the requested rows, without its LIMIT. `name` tells it from other SELECTs from the start of the segment: if
   * the list is remembered, it is not built again.
   */
  *#queryRows(request: RowRequest, name: string, build: () => Sql): SqlSteps<FoundRow[]> {
    return yield* toFoundRows(
      request.segment,
      yield this.#statement(request, name, () => limited(request, build())),
    );
  }

  #statement({ segment, start, count, lastOnly }: RowRequest, name: string, build: () => Sql): Sql {
    if (start.id !== undefined || lastOnly) return build();
    const key = `${name} ${count} ${segment.key}`;
    const known = this.#firstStatements.get(key);
    if (known) return known;
    if (this.#firstStatements.size >= MAX_STATEMENTS) this.#firstStatements.clear();
    const statement = build();
    this.#firstStatements.set(key, statement);
    return statement;
  }
}

/** The requested rows of a SELECT: the first ones, or the last of them. */
function limited({ count, lastOnly }: RowRequest, { text, values }: Sql): Sql {
  return lastOnly
    ? { text: `${text} LIMIT 1 OFFSET ?`, values: [...values, count - 1] }
    : { text: `${text} LIMIT ?`, values: [...values, count] };
}

/** How many rows were tested to find these. */
function visitedRows(rows: readonly (readonly unknown[])[], found: readonly FoundRow[]): number {
  const last = found.at(-1)?.id;
  return rows.findIndex(([id]) => Number(id) === last) + 1;
}

/** The segment has all rows in order of id. */
function isIdOrder({ key, where, customField }: Segment): boolean {
  return key === undefined && where === "" && customField === undefined;
}
