import { type ListQuery, PAGE_BYTES } from "../../../domain/lists/listing.ts";
import { ALWAYS, allOf, joinSql, type Sql } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import { type Condition, type ListPlan, type Matches, type RowTest, selectEntries } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { IdRange } from "../id-range.ts";
import type { ListResource, Segment } from "../list-resource.ts";
import { PageStatement, slots } from "../page-statement.ts";
import { fromSegment, type SortPosition, type StatementStart, segmentColumns } from "../sort-order.ts";
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
  toResult,
} from "./found-rows.ts";

/** Pages of up to this many rows are fetched at once. More rows could be far larger than `PAGE_BYTES`. */
export const SINGLE_FETCH_ROWS = 128;

/** Rows that are tested outside of the database are fetched in chunks: at first twice the requested rows, then more. */
const CHUNK_ROWS = { max: 1000, growth: 4 } as const;

/** How much of an index to read: at most so many entries, and none after `last`. */
export interface IndexPart {
  readonly maxEntries?: number;
  readonly last?: number | undefined;
}

/** Reads the rows of a segment: all, in order with a test of each, or those that an index returns. */
export class RowReader {
  readonly #statements = new Map<string, PageStatement>();

  constructor(
    readonly dialect: Dialect,
    readonly resource: ListResource,
    readonly query: ListQuery,
    readonly plan: ListPlan,
  ) {}

  /**
   * A statement for the rows of a request. Its text is built once for all requests with this name that differ in their position and
   * number of rows only.
   */
  statement(
    name: string,
    { start, count, withJson, skip, other }: RowRequest,
    build: (start: StatementStart) => Sql,
    last: number | null = null,
  ): Sql {
    const isFirst = start.id === undefined;
    const shape = `${name} ${start.segment}${isFirst ? "" : "+"}${withJson ? "j" : ""} ${skip ?? ""}`;
    let statement = this.#statements.get(shape);
    if (!statement) {
      const { text, values } = build({ key: slots.key, id: isFirst ? undefined : slots.id });
      const limited = skip === "last" ? `${text} LIMIT 1 OFFSET ?` : `${text} LIMIT ?`;
      statement = new PageStatement({
        text: skip === "count" ? `SELECT count(*), NULL, NULL FROM (${limited}) s` : limited,
        values: [...values, slots.count],
      });
      this.#statements.set(shape, statement);
    }
    const { id = null, key } = start;
    return statement.fill({
      id,
      key,
      last,
      other: other ?? null,
      count: skip === "last" ? count - 1 : count,
    });
  }

  /** Without conditions: reads the sort order's index. On a long page, the first rows tell how many more fit. */
  *readAll(request: RowRequest): SqlSteps<FoundRows> {
    const { segment, start, count, withJson } = request;
    const first = withJson ? Math.min(count, SINGLE_FETCH_ROWS) : count;
    const result = yield* this.#select({ ...request, count: first });
    const found = [...result.found];
    if (first === count || found.length < first) return result;
    const bytes = found.reduce((sum, { json }) => sum + json.length, 0);
    const room = Math.min(count, Math.ceil((first * PAGE_BYTES) / bytes));
    if (room > first) {
      const rest = { segment, start: positionOfLast(found, start), count: room - first, withJson };
      found.push(...(yield* this.#select(rest)).found);
    }
    return found.length < room || room === count
      ? { found }
      : { found, stopped: positionOfLast(found, start) };
  }

  *#select(request: RowRequest): SqlSteps<FoundRows> {
    const { segment, withJson } = request;
    const json = this.#jsonColumn(undefined, withJson);
    const rows = yield this.statement("all", request, (start) =>
      this.selectAll(segment, start, this.#columns(segment, json), withJson),
    );
    return yield* toResult(request, rows);
  }

  /** All rows of a segment after a position, in order. Without their columns, an index may have it all. */
  selectAll(segment: Segment, start: StatementStart, columns: readonly string[], withRows = true): Sql {
    const { text, values } = this.#fromSegment(segment, start, withRows);
    return { text: `SELECT ${columns.join(", ")} ${text}`, values };
  }

  #columns(segment: Segment, json: string): readonly string[] {
    const { id, key = "NULL" } = segmentColumns(this.resource, segment);
    return [id, key, json];
  }

  /** Reads at most `limit` rows in the order of the list, and tests each: all of them, or those within the index of a condition. */
  *walk(request: RowRequest, limit: number, within: Condition | undefined): SqlSteps<FoundRows> {
    const { segment } = request;
    if (within && isIdOrder(segment)) throw new Error("A walk in order of id is not within an index.");
    const matches = this.matchesOf(segment, within);
    if (!matches) return yield* this.#walkOnce(request, limit, { within });
    const found: FoundRow[] = [];
    let { start } = request;
    let left = limit;
    for (const chunk of chunkSizes(request)) {
      const size = Math.min(left, chunk);
      const rest = continueAfter(request, { found }, start);
      const next =
        within || this.hasTests
          ? yield* this.#walkOnce(rest, size, { matches, within })
          : yield* this.#walkUntested(rest, size, matches);
      found.push(...next.found);
      left -= size;
      if (isComplete(request, { found }) || !next.stopped) return { found };
      if (left <= 0) return { found, stopped: next.stopped };
      start = next.stopped;
    }
    return { found };
  }

  /** No test in SQL: all rows are fetched. */
  *#walkUntested(request: RowRequest, limit: number, matches: Matches): SqlSteps<FoundRows> {
    const { segment } = request;
    const rows = yield this.statement("untested", { ...request, count: limit }, (start) =>
      this.selectAll(segment, start, this.#columns(segment, "u.json")),
    );
    const found = yield* matchRows(request, rows, matches);
    return { found, stopped: rows.length < limit ? undefined : this.#positionOf(request, rows.at(-1)) };
  }

  *#walkOnce(
    request: RowRequest,
    limit: number,
    { matches, within }: { matches?: Matches; within: Condition | undefined },
  ): SqlSteps<FoundRows> {
    const { segment } = request;
    // What is tested here are all rows that pass the tests in SQL.
    const requested = matches ? { ...request, count: limit } : request;
    const json = this.#jsonColumn(matches, request.withJson);
    const rows = yield isIdOrder(segment)
      ? this.#walkIds(requested, limit, json)
      : this.#walkKeys(requested, limit, json, within);
    const result = matches
      ? { found: yield* matchRows(request, rows, matches) }
      : yield* toResult(request, rows);
    if (isComplete(request, result) || request.skip === "last") return result;
    const [last] = yield isIdOrder(segment)
      ? this.#stopOfIds(request, limit)
      : this.#stopOfKeys(request, limit);
    return { ...result, stopped: last && this.#positionOf(request, last) };
  }

  /** In order of id, a range of ids has at most as many rows. */
  #walkIds(request: RowRequest, limit: number, json: string): Sql {
    const { after, upTo, first, end, last, order } = this.#idsToWalk(request, limit);
    const table = this.dialect.table(this.resource.table);
    const build = ({ id = first }: StatementStart) =>
      joinSql(
        {
          text: `SELECT u.id, NULL, ${json} FROM ${table} u WHERE u.id ${after} ? AND u.id ${upTo} ${end} AND`,
          values: [id, slots.last],
        },
        this.testSql(),
        order,
      );
    return this.statement("walk", request, build, last);
  }

  /** The position before the next row: ids without a row are left out. */
  #stopOfIds(request: RowRequest, limit: number): Sql {
    const { after, end, last, order } = this.#idsToWalk(request, limit);
    const table = this.dialect.table(this.resource.table);
    const before = this.query.descending ? "u.id + 1" : "u.id - 1";
    return {
      text: `SELECT ${before}, NULL FROM ${table} u WHERE u.id ${after} ${end} ${order} LIMIT 1`,
      values: [last],
    };
  }

  /** The range of ids up to `end`, an SQL expression of `last`. */
  #idsToWalk({ start }: RowRequest, limit: number) {
    if (!this.query.descending) {
      const first = start.id ?? 0;
      return { after: ">", upTo: "<=", order: "ORDER BY u.id ASC", first, end: "?", last: first + limit };
    }
    const range = { after: "<", upTo: ">=", order: "ORDER BY u.id DESC" };
    if (start.id !== undefined) return { ...range, first: start.id, end: "?", last: start.id - limit };
    // From the end, the range starts at the last id.
    const end = `(SELECT max(id) FROM ${this.dialect.table(this.resource.table)}) - ?`;
    return { ...range, first: Number.MAX_SAFE_INTEGER, end, last: limit - 1 };
  }

  #walkKeys(request: RowRequest, limit: number, json: string, within: Condition | undefined): Sql {
    const { segment } = request;
    const readsRows =
      this.dialect.walksRows && !within && testsOf(this.plan).some(({ testsIdOnly }) => !testsIdOnly);
    return this.statement(`walk ${limit} ${within ? this.nameOf(within) : ""}`, request, (start) => {
      if (readsRows && segment.customField === undefined) return this.#walkRows(segment, start, limit, json);
      const { columns, from } = this.#keysToWalk(segment, start);
      const { rows, tests } = this.candidateRows(
        { text: `SELECT ${columns} ${from.text} LIMIT ${limit}`, values: from.values },
        within,
        {
          columns: ["id", "key"],
          order: orderOf(segment),
          isWithin: within !== undefined,
          isIdEnough: json === "NULL",
        },
      );
      return joinSql(
        { text: `SELECT d.id, d.key, ${json} FROM ${rows.text} WHERE`, values: rows.values },
        tests,
        this.#repeatOrder(segment),
      );
    });
  }

  #walkRows(segment: Segment, start: StatementStart, limit: number, json: string): Sql {
    const { repeatOrder } = this.dialect;
    const { key } = segment;
    const from = this.#fromSegment(segment, start);
    return joinSql(
      {
        text: `SELECT u.id, ${key ? `u.${key}` : "NULL"}, ${json} FROM (SELECT u.* ${from.text} LIMIT ${limit}) u WHERE`,
        values: from.values,
      },
      this.testSql(),
      repeatOrder(key ? [key, "id"] : ["id"], this.query.descending, "u"),
    );
  }

  #stopOfKeys({ segment, start }: RowRequest, limit: number): Sql {
    const { columns, from } = this.#keysToWalk(segment, start);
    return { text: `SELECT ${columns} ${from.text} LIMIT 1 OFFSET ${limit - 1}`, values: from.values };
  }

  #keysToWalk(segment: Segment, start: StatementStart): { columns: string; from: Sql } {
    const { id, key } = segmentColumns(this.resource, segment);
    return { columns: `${id} AS id, ${key ?? "NULL"} AS key`, from: this.#fromSegment(segment, start) };
  }

  /** In order of id: reads a part of the index of a condition, and applies the other conditions. */
  *readIndex(condition: Condition, request: RowRequest, part: IndexPart): SqlSteps<FoundRows> {
    if (request.skip) return yield* this.#skipInIndex(condition, request, part);
    const { segment, start } = request;
    const matches = this.matchesOf(segment, condition);
    const found: FoundRow[] = [];
    let read = 0;
    let after = start.id;
    if (!matches) {
      const rows = yield this.#selectFromIndex(condition, request, part, undefined);
      found.push(...(yield* toFoundRows(segment, rows)));
    } else {
      for (const chunk of chunkSizes(request)) {
        const rest = continueAfter(request, { found }, { ...start, id: after });
        const rows = yield this.#selectFromIndex(condition, { ...rest, count: chunk }, part, matches);
        found.push(...(yield* matchRows(rest, rows, matches)));
        read += rows.length;
        if (isComplete(request, { found }) || rows.length < chunk) break;
        after = Number(rows.at(-1)?.[0]);
        if (part.maxEntries !== undefined && read >= part.maxEntries)
          return { found, stopped: { segment: start.segment, key: null, id: after } };
      }
    }
    if (isComplete(request, { found })) return { found };
    const rest = { ...request, start: { ...start, id: after } };
    const stopped = yield* this.#stopInIndex(condition, rest, part);
    if (condition.selectBounded && part.last === undefined && stopped && stopped.id !== found.at(-1)?.id)
      found.push(...(yield* this.#readId(condition, request, stopped)));
    return { found, stopped };
  }

  *#skipInIndex(condition: Condition, request: RowRequest, part: IndexPart): SqlSteps<FoundRows> {
    const { maxEntries } = part;
    // Only ids can end between rows: a row may have several entries.
    const isCut = request.skip === "count" && maxEntries !== undefined && condition.selectBounded;
    const whole = isCut ? { last: yield* this.findReach(condition, request.start.id, maxEntries) } : part;
    const rows = yield this.#selectFromIndex(condition, request, whole, undefined);
    const result = yield* toResult(request, rows);
    if (isComplete(request, result) || request.skip === "last") return result;
    return { ...result, stopped: yield* this.#stopInIndex(condition, request, whole) };
  }

  /** Reads the row at a position. The part of an index that ends there may have had only some of the row's entries. */
  *#readId(
    condition: Condition,
    request: RowRequest,
    { segment, id = 0 }: SortPosition,
  ): SqlSteps<FoundRow[]> {
    const start = { segment, key: null, id: this.query.descending ? id + 1 : id - 1 };
    const row = { ...request, start, count: 1 };
    const matches = this.matchesOf(request.segment, condition);
    const rows = yield this.#selectFromIndex(condition, row, { last: id }, matches);
    return matches ? yield* matchRows(row, rows, matches) : yield* toFoundRows(request.segment, rows);
  }

  /** Where the part of an index ends, if there are entries after it. */
  *#stopInIndex(
    condition: Condition,
    { start }: RowRequest,
    { maxEntries, last }: IndexPart,
  ): SqlSteps<SortPosition | undefined> {
    if ((last ?? maxEntries) === undefined) return undefined;
    const reach = yield* this.findReach(condition, last ?? start.id, last === undefined ? maxEntries : 1);
    return reach === undefined ? undefined : { segment: start.segment, key: null, id: last ?? reach };
  }

  /** The id that the next entries of an index reach, or those of the first that it intersects. Undefined if there are fewer. */
  *findReach(condition: Condition, after: number | undefined, entries = 1): SqlSteps<number | undefined> {
    const range = { descending: this.query.descending, after, last: undefined };
    const offset = `LIMIT 1 OFFSET ${entries - 1}`;
    const select = selectEntries(condition.parts?.[0] ?? condition, range);
    const reach = joinSql("SELECT id, NULL, NULL FROM (", select, offset, ") p");
    const [rarest] = condition.lists ?? [];
    // To read the rarest list takes less time than to intersect them all.
    const [row] = yield rarest
      ? joinSql(reach, "WHERE EXISTS (SELECT 1 FROM (", rarest(range), offset, ") r)")
      : reach;
    return row && Number(row[0]);
  }

  #selectFromIndex(
    condition: Condition,
    request: RowRequest,
    { maxEntries, last }: IndexPart,
    matches: Matches | undefined,
  ): Sql {
    const { descending } = this.query;
    const part = `${maxEntries ?? ""}${last === undefined ? "" : "-"}`;
    const build = ({ id: after }: StatementStart) => {
      const range = { descending, after, last: last === undefined ? undefined : slots.last };
      return this.#entriesOf(condition, range, maxEntries, this.#jsonColumn(matches, request.withJson));
    };
    return this.statement(`index ${this.nameOf(condition)} ${part}`, request, build, last);
  }

  /** A name for statements. */
  nameOf(condition: Condition): string {
    return `${(condition.parts ?? [condition]).map((part) => this.plan.conditions.indexOf(part))}`;
  }

  #entriesOf(condition: Condition, range: IdRange, maxEntries: number | undefined, json: string): Sql {
    const { repeatOrder, optimizationFence } = this.dialect;
    const isSorted = condition.order === "known";
    const order = isSorted ? repeatOrder(["id"], range.descending) : "";
    const bounded = maxEntries === undefined ? undefined : condition.selectBounded?.(range, maxEntries);
    const { text, values } = bounded ?? condition.selectIds(range);
    const end = maxEntries === undefined ? optimizationFence : `LIMIT ${maxEntries}`;
    const ids = { text: bounded ? text : `${text} ${end}`, values };
    if (json === "NULL" && this.testSql(condition) === ALWAYS)
      return {
        text: `SELECT d.id, NULL, NULL FROM (${maxEntries === undefined ? text : ids.text}) d ${order}`,
        values: ids.values,
      };
    const { rows, tests } = this.candidateRows(ids, condition, {
      order: isSorted ? ["id"] : [],
      isIdEnough: json === "NULL",
    });
    return joinSql(
      { text: `SELECT d.id, NULL, ${json} FROM ${rows.text} WHERE`, values: rows.values },
      tests,
      order,
    );
  }

  /** What SQL does not test: of the list, and of the segment. Rows from a leading index may need no test of the list. */
  matchesOf({ matches }: Segment, leading?: Condition): Matches | undefined {
    const listMatches = leading?.exact && leading.coversMatches ? undefined : this.plan.matches;
    if (!matches || !listMatches) return matches ?? listMatches;
    return (row) => listMatches(row) && matches(row);
  }

  /** All tests of a row, without that of a leading condition whose index is exact. */
  testSql(leading?: Condition): Sql {
    return allOf(testsOf(this.plan, leading).map(({ test }) => test));
  }

  /** Whether some rows may not match, as far as the database can tell. */
  get hasConditions(): boolean {
    return this.plan.conditions.length > 0 || this.plan.tests.length > 0;
  }

  get hasTests(): boolean {
    return testsOf(this.plan).length > 0;
  }

  /**
   * The rows of a SELECT of ids in order or from a leading index, after FROM, and the tests that they still need. `columns` are
   * those of the SELECT, and `order` those that the engine knows it is sorted by. `isWithin`: the ids are not from the leading index,
   * and only those in it count. `isIdEnough`: only the tests may read the rows.
   */
  candidateRows(
    ids: Sql,
    leading: Condition | undefined,
    {
      columns = ["id"],
      order = [],
      isWithin = false,
      isIdEnough = false,
    }: {
      columns?: readonly string[];
      order?: readonly string[];
      isWithin?: boolean;
      isIdEnough?: boolean;
    } = {},
  ): { rows: Sql; tests: Sql } {
    const tested = testsOf(this.plan, leading);
    if (leading && isWithin) tested.unshift({ test: this.#isWithin(leading), testsIdOnly: true });
    const toTest = (idOnly: boolean) =>
      allOf(tested.filter(({ testsIdOnly }) => testsIdOnly === idOnly).map(({ test }) => test));
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
    const tests = toTest(false);
    const text = isIdEnough && tests === ALWAYS ? `(${passed.text}) d` : this.joinRows(passed.text);
    return { rows: { text, values: passed.values }, tests };
  }

  #isWithin({ selectIds }: Condition): Sql {
    const { text, values } = selectIds({ descending: false, after: undefined, last: undefined });
    return { text: `u.id IN (${text} ${this.dialect.optimizationFence})`, values };
  }

  joinRows(ids: string): string {
    return this.dialect.joinRows(this.resource.table, `(${ids}) d`, "d.id");
  }

  #fromSegment(segment: Segment, start: StatementStart, withRows = false): Sql {
    const { descending } = this.query;
    return fromSegment(this.dialect, this.resource, segment, { descending, start, withRows });
  }

  #repeatOrder(segment: Segment): string {
    return this.dialect.repeatOrder(orderOf(segment), this.query.descending);
  }

  /** The position of a row of the columns id and sort key. */
  #positionOf({ segment, start }: RowRequest, row: readonly unknown[] = []): SortPosition {
    return { segment: start.segment, key: toKey(segment, row[1]), id: Number(row[0]) };
  }

  /** Rows that are tested outside of the database are parsed: as text. */
  #jsonColumn(matches: Matches | undefined, withJson: boolean): string {
    if (matches) return "u.json";
    return withJson ? this.dialect.json : "NULL";
  }
}

/** The tests of a row in SQL, without that of a leading condition whose index is exact. */
export function testsOf({ conditions, tests }: ListPlan, leading?: Condition): RowTest[] {
  const found = leading?.parts ?? [leading];
  const tested = conditions.filter((condition) => !condition.exact || !found.includes(condition));
  return [...tested.flatMap(({ test, testsIdOnly }) => (test ? { test, testsIdOnly } : [])), ...tests];
}

function* chunkSizes({ count }: RowRequest): Generator<number, never> {
  const { max, growth } = CHUNK_ROWS;
  for (let chunk = Math.min(max, 2 * count); ; chunk = Math.min(max, growth * chunk)) yield chunk;
}

function orderOf({ key }: Segment): string[] {
  return key ? ["key", "id"] : ["id"];
}

/** The segment has all rows in order of id. */
export function isIdOrder({ key, where, customField }: Segment): boolean {
  return key === undefined && where === "" && customField === undefined;
}
