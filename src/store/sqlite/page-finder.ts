import { joinArray, type ListQuery, type Page, type Position } from "../../domain/listing.ts";
import { type Condition, conditionsOf, type Sql, type Value } from "./conditions.ts";
import { inOrder, orders, type Segment, type Spot } from "./orders.ts";
import type { Selects } from "./selects.ts";

interface Found {
  readonly key: Value;
  readonly id: number;
  /** Empty where only the place was asked for. */
  readonly json: Uint8Array;
}

/** What one step found in one segment; `stopped` when it ended for having looked enough, and where. */
interface Step {
  readonly found: readonly Found[];
  readonly stopped?: Spot | undefined;
}

/** Finds one page of a list with bounded work, each part of it from an index. */
export class PageFinder {
  readonly #segments: readonly Segment[];
  readonly #conditions: readonly Condition[];
  #gathered: Condition | undefined | "none";

  constructor(
    readonly selects: Selects,
    readonly query: ListQuery,
  ) {
    this.#segments = orders[query.sort];
    this.#conditions = conditionsOf(query);
  }

  find(): Page {
    const { from, offset, limit } = this.query;
    let spot = this.#start(from);
    const skip = from ? from.skip : offset;
    if (skip > 0) {
      const passed = this.#walk(spot, skip, false);
      if (!passed.end) return lastPage([]);
      if (passed.found.length < skip) {
        return {
          json: joinArray([]),
          next: position(passed.end, skip - passed.found.length),
          total: undefined,
        };
      }
      spot = passed.end;
    }
    // One more than the page holds tells whether there is a next one.
    const { found, end } = this.#walk(spot, limit + 1, true);
    const users = found.slice(0, limit).map(({ json }) => json);
    const last = found[limit - 1];
    if (found.length > limit && last)
      return { json: joinArray(users), next: position(last, 0), total: undefined };
    return end ? { json: joinArray(users), next: position(end, 0), total: undefined } : lastPage(users);
  }

  #start(from: Position | undefined): Spot {
    if (!from) return { segment: 0, key: null, id: undefined };
    const segment = this.#segments.length > 1 && from.key === null ? 1 : 0;
    return { segment, key: from.key, id: from.id };
  }

  /** Up to `want` users beyond the spot, and where to go on, if there may be more. */
  #walk(start: Spot, want: number, withJson: boolean): { found: Found[]; end: Spot | undefined } {
    const found: Found[] = [];
    let spot = start;
    for (;;) {
      const step = this.#step(spot, want - found.length, withJson);
      found.push(...step.found);
      const last = found.at(-1);
      if (found.length >= want && last)
        return { found, end: { segment: spot.segment, key: last.key, id: last.id } };
      if (step.stopped) return { found, end: step.stopped };
      if (spot.segment + 1 >= this.#segments.length) return { found, end: undefined };
      spot = { segment: spot.segment + 1, key: null, id: undefined };
    }
  }

  #step(spot: Spot, want: number, withJson: boolean): Step {
    const segment = this.#segments[spot.segment];
    if (!segment) throw new Error("A list has no such segment.");
    if (this.#conditions.length === 0) return { found: this.#plain(segment, spot, want, withJson) };
    if (this.query.sort === "id") return this.#byId(spot, want, withJson);
    const gathered = this.#shortest();
    return gathered
      ? { found: this.#gather(gathered, segment, spot, want, withJson) }
      : this.#test(segment, spot, want, withJson);
  }

  /** No conditions: straight from the order's own index. */
  #plain(segment: Segment, spot: Spot, want: number, withJson: boolean): Found[] {
    const { descending } = this.query;
    const { text, values } = inOrder(segment, descending, spot);
    const json = withJson ? "CAST(json AS BLOB)" : "NULL";
    return this.#rows({
      text: `SELECT id, ${segment.key ?? "NULL"}, ${json} FROM users u ${text} LIMIT ?`,
      values: [...values, want],
    });
  }

  /** In order of id, as the conditions' indexes are: the one that gets farthest leads, the others test. */
  #byId(spot: Spot, want: number, withJson: boolean): Step {
    const { descending } = this.query;
    const [only] = this.#conditions;
    const { condition, last } =
      this.#conditions.length === 1 && only?.exact
        ? { condition: only, last: undefined }
        : this.selects.best(this.#conditions, descending, spot.id);
    const ids = condition.ids({ descending, after: spot.id, last });
    const tests = this.#tests(condition);
    const found = this.#rows({
      // The inner LIMIT keeps SQLite from reordering the join: users come in the order of the index.
      text: `SELECT u.id, NULL, ${withJson ? "CAST(u.json AS BLOB)" : "NULL"} FROM (${ids.text} LIMIT -1) d
             CROSS JOIN users u ON u.id = d.id WHERE ${tests.text} LIMIT ?`,
      values: [...ids.values, ...tests.values, want],
    });
    return {
      found,
      stopped: last === undefined ? undefined : { segment: spot.segment, key: null, id: last },
    };
  }

  /** A condition that few users pass, if there is one: these can all be fetched and sorted. */
  #shortest(): Condition | undefined {
    if (this.#gathered === undefined) {
      const { condition, last } = this.selects.best(this.#conditions, false, undefined);
      this.#gathered = last === undefined ? condition : "none";
    }
    return this.#gathered === "none" ? undefined : this.#gathered;
  }

  #gather(condition: Condition, segment: Segment, spot: Spot, want: number, withJson: boolean): Found[] {
    const ids = condition.ids({ descending: false, after: undefined, last: undefined });
    const tests = this.#tests(condition);
    const { descending } = this.query;
    const { text, values } = inOrder({ ...segment, index: "" }, descending, spot, tests);
    return this.#rows({
      text: `SELECT u.id, ${segment.key ? `u.${segment.key}` : "NULL"}, ${withJson ? "CAST(u.json AS BLOB)" : "NULL"}
             FROM (${ids.text} LIMIT -1) d CROSS JOIN users u ON u.id = d.id ${text} LIMIT ?`,
      values: [...ids.values, ...values, want],
    });
  }

  /** Many users pass each condition: a walk along the order finds some soon, or gives up after its share. */
  #test(segment: Segment, spot: Spot, want: number, withJson: boolean): Step {
    const { descending } = this.query;
    const order = inOrder(segment, descending, spot);
    const key = segment.key ?? "NULL";
    const tests = this.#tests();
    const walk = `SELECT id, ${key} AS key FROM users u ${order.text} LIMIT`;
    const found = this.#rows({
      text: `SELECT u.id, w.key, ${withJson ? "CAST(u.json AS BLOB)" : "NULL"} FROM (${walk} ?) w
             CROSS JOIN users u ON u.id = w.id WHERE ${tests.text} LIMIT ?`,
      values: [...order.values, this.selects.candidates, ...tests.values, want],
    });
    if (found.length >= want) return { found };
    const [stop] = this.selects.rows({
      text: `${walk} 1 OFFSET ?`,
      values: [...order.values, this.selects.candidates - 1],
    });
    return {
      found,
      stopped: stop ? { segment: spot.segment, key: keyOf(stop[1]), id: Number(stop[0]) } : undefined,
    };
  }

  /** Every condition as a test, but for one whose index leads and is exact. */
  #tests(leading?: Condition): Sql {
    const tests = this.#conditions
      .filter((condition) => condition !== leading || !condition.exact)
      .map(({ test }) => test);
    return {
      text: tests.length > 0 ? tests.map(({ text }) => text).join(" AND ") : "TRUE",
      values: tests.flatMap(({ values }) => values),
    };
  }

  #rows(sql: Sql): Found[] {
    return this.selects.rows(sql).map(([id, key, json]) => ({
      id: Number(id),
      key: keyOf(key),
      json: json instanceof Uint8Array ? json : NOTHING,
    }));
  }
}

const NOTHING = new Uint8Array();

function keyOf(value: unknown): Value {
  return typeof value === "string" || typeof value === "number" ? value : null;
}

function position({ key, id }: { key: Value; id: number | undefined }, skip: number): Position {
  return { key, id: id ?? 0, skip };
}

function lastPage(users: readonly Uint8Array[]): Page {
  return { json: joinArray(users), next: undefined, total: undefined };
}
