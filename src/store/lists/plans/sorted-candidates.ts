import type { CustomSort } from "../../../domain/lists/listing.ts";
import { sortKeyFinder } from "../../../domain/lists/sort-key.ts";
import type { Sql, SqlValue } from "../../sql/sql.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { Condition, Matches } from "../condition.ts";
import type { Segment } from "../list-resource.ts";
import { afterPosition, type SortPosition, type StatementStart, segmentColumns } from "../sort-order.ts";
import {
  continueAfter,
  type FoundRow,
  type FoundRows,
  inSteps,
  isComplete,
  matchRows,
  parseRow,
  type RowRequest,
  toFoundRows,
  toKey,
  toResult,
} from "./found-rows.ts";
import type { RowReader } from "./row-reader.ts";

/** Rows that are fetched by id, at a time. */
const CHUNK_ROWS = 1000;

interface Candidate {
  readonly id: number;
  readonly key: SqlValue;
  /** Only if there are few candidates. */
  readonly json?: unknown;
}

/** Candidates in the order of a custom field. */
interface SortedByField {
  readonly withValue: readonly Candidate[];
  readonly others: readonly Candidate[];
}

/** The rows of a condition with few ids: fetches and sorts them all. */
export class SortedCandidates {
  readonly #reader: RowReader;
  readonly #sort: string | CustomSort;
  #byCustomField: SortedByField | undefined;

  /** The index of the condition finds the candidates. */
  constructor(
    reader: RowReader,
    readonly condition: Condition,
    sort: string | CustomSort,
  ) {
    this.#reader = reader;
    this.#sort = sort;
  }

  *find(request: RowRequest): SqlSteps<FoundRows> {
    const sort = this.#sort;
    if (typeof sort !== "string") return { found: yield* this.#findByCustomField(request, sort.custom) };
    const matches = this.#reader.matchesOf(request.segment, this.condition);
    return matches ? { found: yield* this.#findAndTest(request, matches) } : yield* this.#findBySql(request);
  }

  /** One statement fetches, tests and sorts. */
  *#findBySql(request: RowRequest): SqlSteps<FoundRows> {
    const { segment, withJson } = request;
    const reader = this.#reader;
    const json = withJson ? reader.dialect.json : "NULL";
    const name = `sort ${reader.nameOf(this.condition)}`;
    const rows = yield reader.statement(name, request, (start) => this.#statement(segment, start, json));
    return yield* toResult(request, rows);
  }

  /** One statement sorts. Then rows are fetched in order and tested, until the request is complete. */
  *#findAndTest(request: RowRequest, matches: Matches): SqlSteps<FoundRow[]> {
    const { segment, start } = request;
    const rows = yield this.#statement(segment, start, "NULL");
    const candidates = rows.map(([id, key]) => ({ id: Number(id), key: toKey(segment, key) }));
    const found: FoundRow[] = [];
    for (let first = 0; first < candidates.length && !isComplete(request, { found }); first += CHUNK_ROWS) {
      const fetched = yield* this.#fetch(candidates.slice(first, first + CHUNK_ROWS));
      found.push(...(yield* matchRows(continueAfter(request, { found }, request.start), fetched, matches)));
    }
    return found;
  }

  /** The columns id, sort key and JSON of the candidates after a position, in order. */
  #statement(segment: Segment, start: StatementStart, json: string): Sql {
    const reader = this.#reader;
    const condition = this.condition;
    const columns = segmentColumns(reader.resource, segment);
    const { rows, tests } = reader.candidateRows(this.#selectIds(), condition);
    const { text, values } = afterPosition(columns, segment, reader.query.descending, start, tests);
    return {
      text: `SELECT u.id, ${columns.key ?? "NULL"}, ${json} FROM ${rows.text} ${text}`,
      values: [...rows.values, ...values],
    };
  }

  /** No index finds the value of a given row: all candidates are fetched, and sorted here. */
  *#findByCustomField(request: RowRequest, path: string): SqlSteps<FoundRow[]> {
    this.#byCustomField ??= yield* this.#sortByCustomField(path);
    const { segment, start, count, withJson } = request;
    const { withValue, others } = this.#byCustomField;
    const ordered = segment.customField === undefined ? others : withValue;
    const { descending } = this.#reader.query;
    const first = start.id === undefined ? 0 : ordered.findIndex((row) => isAfter(row, start, descending));
    const page = first < 0 ? [] : ordered.slice(first, first + count);
    if (!withJson)
      return yield* toFoundRows(
        segment,
        page.map(({ id, key }) => [id, key]),
      );
    if (page.every(({ json }) => json !== undefined))
      return yield* toFoundRows(
        segment,
        page.map(({ id, key, json }) => [id, key, json]),
      );
    const found: FoundRow[] = [];
    for (let chunk = 0; chunk < page.length; chunk += CHUNK_ROWS) {
      const fetched = yield* this.#fetch(page.slice(chunk, chunk + CHUNK_ROWS));
      found.push(...(yield* toFoundRows(segment, fetched)));
    }
    return found;
  }

  *#sortByCustomField(path: string): SqlSteps<SortedByField> {
    const reader = this.#reader;
    const condition = this.condition;
    const matches = condition.coversMatches && condition.exact ? undefined : reader.plan.matches;
    const { rows: candidates, tests } = reader.candidateRows(this.#selectIds(), condition);
    const findKey = sortKeyFinder(path, reader.resource.rowFields);
    const withValue: Candidate[] = [];
    const others: Candidate[] = [];
    let after: number | undefined;
    for (;;) {
      const rows: readonly (readonly unknown[])[] = yield {
        text: `SELECT u.id, NULL, u.json FROM ${candidates.text}
               WHERE ${tests.text} AND u.id > ? ORDER BY u.id LIMIT ?`,
        values: [...candidates.values, ...tests.values, after ?? 0, CHUNK_ROWS],
      };
      const isOnlyChunk = after === undefined && rows.length < CHUNK_ROWS;
      yield* inSteps(rows, 2, ([id, , json]) => {
        const row = parseRow(json);
        if (matches && !matches(row)) return;
        const key = findKey(row) ?? null;
        (key === null ? others : withValue).push({ id: Number(id), key, ...(isOnlyChunk && { json }) });
      });
      if (rows.length < CHUNK_ROWS) break;
      after = Number(rows.at(-1)?.[0]);
    }
    const sign = reader.query.descending ? -1 : 1;
    const order = (a: Candidate, b: Candidate) => sign * compare(a, b);
    return { withValue: withValue.sort(order), others: others.sort(order) };
  }

  #selectIds(): Sql {
    const { text, values } = this.condition.selectIds({
      descending: false,
      after: undefined,
      last: undefined,
    });
    return { text: `${text} ${this.#reader.dialect.optimizationFence}`, values };
  }

  /** The columns id, sort key and JSON of these rows, in this order. */
  *#fetch(candidates: readonly Candidate[]): SqlSteps<unknown[][]> {
    const { dialect } = this.#reader;
    const rows = yield {
      text: `SELECT u.id, u.json FROM ${this.#reader.joinRows(dialect.idsFromJson)}`,
      values: [JSON.stringify(candidates.map(({ id }) => id))],
    };
    const jsonById = new Map(rows.map(([id, json]) => [Number(id), json]));
    return candidates.map(({ id, key }) => [id, key, jsonById.get(id)]);
  }
}

function isAfter(row: Candidate, { key, id = 0 }: SortPosition, descending: boolean): boolean {
  const order = compare(row, { key, id });
  return descending ? order < 0 : order > 0;
}

/** Keys are texts, compared by their bytes in UTF-8. */
function compare(a: Candidate, b: Candidate): number {
  const order = a.key === b.key ? 0 : Buffer.compare(Buffer.from(String(a.key)), Buffer.from(String(b.key)));
  return order || a.id - b.id;
}
