import type { ListQuery } from "../../domain/lists/listing.ts";
import { ALWAYS, allOf, joinSql, type Sql } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { Condition, ListPlan, Matches } from "./conditions/condition.ts";
import type { Dialect } from "./dialect.ts";
import type { ListResource, Segment } from "./list-resource.ts";
import { type FoundRow, type RowRequest, toFoundRows } from "./plans/found-rows.ts";
import { fromSegment, type SortPosition } from "./sort-order.ts";

/** The most statements to keep for pages of different lengths. */
const MAX_STATEMENTS = 8;

/** Builds the statements that read the rows of a list. */
export class RowStatements<Sort extends string, Column extends string> {
  /** Statements from the start of a segment, by what they select. */
  readonly #firstStatements = new Map<string, Sql>();

  constructor(
    readonly dialect: Dialect,
    readonly resource: ListResource<Sort, Column>,
    readonly query: ListQuery<Sort, Column>,
    readonly plan: ListPlan,
  ) {}

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

  protected fromSegment(segment: Segment, start: SortPosition): Sql {
    return fromSegment(this.dialect, this.resource, segment, this.query.descending, start);
  }

  protected repeatOrder(segment: Segment): string {
    return this.dialect.repeatOrder(this.orderOf(segment), this.query.descending);
  }

  protected orderOf({ key }: Segment): string[] {
    return key ? ["key", "id"] : ["id"];
  }

  /** Rows that are tested outside of the database are parsed: as text. */
  protected jsonColumn(matches: Matches | undefined, withJson: boolean): string {
    if (matches) return "u.json";
    return withJson ? this.dialect.json : "NULL";
  }

  /**
   * Runs a SELECT of the requested rows, without its LIMIT. `name` tells it from other SELECTs from the start of the segment: if
   * the list is remembered, it is not built again.
   */
  protected *queryRows(request: RowRequest, name: string, build: () => Sql): SqlSteps<FoundRow[]> {
    return yield* toFoundRows(
      request.segment,
      yield this.statement(request, name, () => limited(request, build())),
    );
  }

  protected statement({ segment, start, count, lastOnly }: RowRequest, name: string, build: () => Sql): Sql {
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
export function limited({ count, lastOnly }: RowRequest, { text, values }: Sql): Sql {
  return lastOnly
    ? { text: `${text} LIMIT 1 OFFSET ?`, values: [...values, count - 1] }
    : { text: `${text} LIMIT ?`, values: [...values, count] };
}
