import {
  createPage,
  type ListQuery,
  PAGE_BYTES,
  type Page,
  type Position,
  takeFittingUsers,
} from "../../domain/listing.ts";
import { buildConditions, type Condition } from "./conditions.ts";
import type { Dialect } from "./dialect.ts";
import { chooseLeadingIndex, type LeadingIndex } from "./leading-index.ts";
import { type Segment, type SortPosition, segmentAfter, selectSegment, sortOrders } from "./orders.ts";
import type { Sql, SqlValue } from "./sql.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** Pages up to this size are fetched whole. Larger ones could be far more than a page has room for. */
export const FIRST_FETCH = 128;

interface FoundRow {
  readonly key: SqlValue;
  readonly id: number;
  /** Empty where only the place was asked for. */
  readonly json: Uint8Array;
}

/** What one step found in one segment; `stopped` when it ended for having looked enough, and where. */
interface FoundRows {
  readonly found: readonly FoundRow[];
  readonly stopped?: SortPosition | undefined;
}

interface RowRequest {
  readonly segment: Segment;
  readonly spot: SortPosition;
  readonly count: number;
  readonly withJson: boolean;
}

/** Finds one page of a list with bounded work, each part of it from an index. */
export class PageFinder {
  readonly #segments: readonly Segment[];
  readonly #conditions: readonly Condition[];
  #gathered: Condition | undefined | "none";

  constructor(
    readonly dialect: Dialect,
    readonly query: ListQuery,
  ) {
    this.#segments = sortOrders[query.sort];
    this.#conditions = buildConditions(dialect, query);
  }

  *find(): SqlSteps<Page> {
    const { from, offset, limit } = this.query;
    let spot = this.#start(from);
    const skip = from ? from.skip : offset;
    if (skip > 0) {
      const passed = yield* this.#walk(spot, skip, false);
      if (!passed.end) return createPage([], undefined, this.query);
      if (passed.found.length < skip) {
        return createPage([], position(passed.end, skip - passed.found.length), this.query);
      }
      spot = passed.end;
    }
    // One more than the page holds tells whether there is a next one.
    const { found, end } = yield* this.#walk(spot, limit + 1, true);
    const { users, more } = takeFittingUsers(found, limit);
    const last = found[users.length - 1];
    const stop = more && last ? last : end;
    return createPage(users, stop && position(stop, 0), this.query);
  }

  #start(from: Position | undefined): SortPosition {
    if (!from) return { segment: 0, key: null, id: undefined };
    const segment = this.#segments.length > 1 && from.key === null ? 1 : 0;
    return { segment, key: from.key, id: from.id };
  }

  /** Up to `count` users beyond the spot, and where to go on, if there may be more. */
  *#walk(
    start: SortPosition,
    count: number,
    withJson: boolean,
  ): SqlSteps<{ found: FoundRow[]; end: SortPosition | undefined }> {
    const found: FoundRow[] = [];
    let spot = start;
    for (;;) {
      const segment = this.#segments[spot.segment];
      if (!segment) throw new Error("A list has no such segment.");
      const step = yield* this.#step({ segment, spot, count: count - found.length, withJson });
      found.push(...step.found);
      if (found.length >= count) return { found, end: lastOf(found, spot) };
      if (step.stopped) return { found, end: step.stopped };
      if (spot.segment + 1 >= this.#segments.length) return { found, end: undefined };
      spot = { segment: spot.segment + 1, key: null, id: undefined };
    }
  }

  *#step(want: RowRequest): SqlSteps<FoundRows> {
    if (this.#conditions.length === 0) return yield* this.#plain(want);
    const unsorted = this.#conditions.some(({ sorted }) => !sorted);
    if (!unsorted || this.#conditions.some(({ selective: few }) => few)) return yield* this.#ask(want);
    const { scannedPerResult: glance, maxCandidates } = this.dialect;
    const glanced = yield* this.#test(want, Math.min(glance * want.count, maxCandidates));
    if (glanced.found.length >= want.count || !glanced.stopped) return glanced;
    const rest = yield* this.#ask({
      ...want,
      spot: glanced.stopped,
      count: want.count - glanced.found.length,
    });
    return { found: [...glanced.found, ...rest.found], stopped: rest.stopped };
  }

  /** Asks the conditions' indexes who passes. */
  *#ask(want: RowRequest): SqlSteps<FoundRows> {
    if (this.query.sort === "id") return yield* this.#byId(want);
    const gathered = yield* this.#shortest();
    return gathered
      ? { found: yield* this.#gather(gathered, want) }
      : yield* this.#test(want, this.dialect.maxCandidates);
  }

  /** No conditions: straight from the order's own index. The first of a long page tell how many it has room for. */
  *#plain({ segment, spot, count, withJson }: RowRequest): SqlSteps<FoundRows> {
    const first = withJson ? Math.min(count, FIRST_FETCH) : count;
    const found = yield* this.#following(segment, spot, first, withJson);
    if (first === count || found.length < first) return { found };
    const bytes = found.reduce((sum, { json }) => sum + json.length, 0);
    const room = Math.min(count, Math.ceil((first * PAGE_BYTES) / bytes));
    if (room > first) {
      const more = yield* this.#following(segment, lastOf(found, spot), room - first, withJson);
      found.push(...more);
    }
    return found.length < room || room === count ? { found } : { found, stopped: lastOf(found, spot) };
  }

  *#following(segment: Segment, spot: SortPosition, count: number, withJson: boolean): SqlSteps<FoundRow[]> {
    const { text, values } = selectSegment(this.dialect, segment, this.query.descending, spot);
    return yield* this.#rows(segment, {
      text: `SELECT u.id, ${keyColumn(segment)}, ${this.#json(withJson)} ${text} LIMIT ?`,
      values: [...values, count],
    });
  }

  /** In order of id, as the conditions' indexes are: the one that gets farthest leads, the others test. */
  *#byId({ segment, spot, count, withJson }: RowRequest): SqlSteps<FoundRows> {
    const { descending } = this.query;
    const {
      maxCandidates,
      optimizationFence: fence,
      joinUsers: usersOf,
      repeatOrder: sameOrder,
    } = this.dialect;
    const [only, ...others] = this.#conditions;
    const single = others.length === 0 ? only : undefined;
    // How far an unsorted index reaches costs as much to find out as the page: that is asked only if the page is short.
    const hasty = single !== undefined && !single.sorted;
    const reach = () => chooseLeadingIndex(this.#conditions, maxCandidates, descending, spot.id);
    const lead: LeadingIndex =
      single && (single.exact || hasty) ? { condition: single, last: undefined } : yield* reach();
    const ids = lead.condition.selectIds({ descending, after: spot.id, last: lead.last });
    const tests = this.#tests(lead.condition);
    const same = lead.condition.sorted ? sameOrder(["id"], descending) : "";
    const users = usersOf(`${ids.text} ${hasty ? `LIMIT ${maxCandidates}` : fence}`);
    const found = yield* this.#rows(segment, {
      text: `SELECT u.id, NULL, ${this.#json(withJson)} FROM ${users} WHERE ${tests.text} ${same} LIMIT ?`,
      values: [...ids.values, ...tests.values, count],
    });
    const { last } = hasty && found.length < count ? yield* reach() : lead;
    return {
      found,
      stopped: last === undefined ? undefined : { segment: spot.segment, key: null, id: last },
    };
  }

  /** A condition that few users pass, if there is one: these can all be fetched and sorted. */
  *#shortest(): SqlSteps<Condition | undefined> {
    if (this.#gathered === undefined) {
      const { maxCandidates } = this.dialect;
      const { condition, last } = yield* chooseLeadingIndex(
        this.#conditions,
        maxCandidates,
        false,
        undefined,
      );
      this.#gathered = last === undefined ? condition : "none";
    }
    return this.#gathered === "none" ? undefined : this.#gathered;
  }

  *#gather(condition: Condition, { segment, spot, count, withJson }: RowRequest): SqlSteps<FoundRow[]> {
    const ids = condition.selectIds({ descending: false, after: undefined, last: undefined });
    const { text, values } = segmentAfter(segment, this.query.descending, spot, this.#tests(condition));
    return yield* this.#rows(segment, {
      text: `SELECT u.id, ${keyColumn(segment)}, ${this.#json(withJson)}
             FROM ${this.#usersOf(ids)} ${text} LIMIT ?`,
      values: [...ids.values, ...values, count],
    });
  }

  /** A walk along the order that tests each user: finds some soon if they are common, or gives up after its share. */
  *#test({ segment, spot, count, withJson }: RowRequest, share: number): SqlSteps<FoundRows> {
    const { descending } = this.query;
    const order = selectSegment(this.dialect, segment, descending, spot);
    const tests = this.#tests();
    const walk = `SELECT u.id, ${keyColumn(segment)} AS key ${order.text} LIMIT`;
    const same = this.dialect.repeatOrder(segment.key ? ["key", "id"] : ["id"], descending);
    const found = yield* this.#rows(segment, {
      text: `SELECT u.id, d.key, ${this.#json(withJson)} FROM ${this.dialect.joinUsers(`${walk} ?`)}
             WHERE ${tests.text} ${same} LIMIT ?`,
      values: [...order.values, share, ...tests.values, count],
    });
    if (found.length >= count) return { found };
    const [stop] = yield { text: `${walk} 1 OFFSET ?`, values: [...order.values, share - 1] };
    return {
      found,
      stopped: stop && { segment: spot.segment, key: keyOf(segment, stop[1]), id: Number(stop[0]) },
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

  #usersOf({ text }: Sql): string {
    return this.dialect.joinUsers(`${text} ${this.dialect.optimizationFence}`);
  }

  #json(wanted: boolean): string {
    return wanted ? this.dialect.json : "NULL";
  }

  *#rows(segment: Segment, sql: Sql): SqlSteps<FoundRow[]> {
    const rows = yield sql;
    return rows.map(([id, key, json]) => ({
      id: Number(id),
      key: keyOf(segment, key),
      json: json instanceof Uint8Array ? json : typeof json === "string" ? Buffer.from(json) : NOTHING,
    }));
  }
}

const NOTHING = new Uint8Array();

function keyColumn({ key }: Segment): string {
  return key ? `u.${key}` : "NULL";
}

function keyOf({ keyType }: Segment, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  return keyType === "number" ? Number(value) : String(value);
}

function position({ key, id }: { key: SqlValue; id: number | undefined }, skip: number): Position {
  return { key, id: id ?? 0, skip };
}

/** Where the last of them stands, in the segment of the spot. */
function lastOf(found: readonly FoundRow[], spot: SortPosition): SortPosition {
  const last = found.at(-1);
  return last ? { segment: spot.segment, key: last.key, id: last.id } : spot;
}
