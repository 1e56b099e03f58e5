import { listLimits } from "../../contract/listing.ts";
import { messageUrns } from "../../contract/scim/scim.ts";
import type { Clock } from "../../domain/clock.ts";
import { decodeCursor, encodeCursor } from "../../domain/lists/cursor.ts";
import { costOfFilter } from "../../domain/request-cost.ts";
import { loopShare } from "../../domain/scheduling/loop-share.ts";
import { runInTurns } from "../../domain/scheduling/steps.ts";
import { ScimError } from "../../scim/scim-error.ts";
import { KEEP_ALIVE, type PageWriter } from "./document-writer.ts";
import { type ListPart, type PartPage, type PartRead, parseRecords, READ_BYTES } from "./list-part.ts";
import type { ListPosition, ListPositions, ListTotal } from "./list-positions.ts";
import type { ListRequest } from "./list-request.ts";
import type { BodyPart } from "./long-response.ts";

interface ListPageParts {
  /** The resources of each kind, in the order in which they are listed. */
  readonly parts: readonly ListPart[];
  readonly request: Pick<ListRequest, "count" | "startIndex" | "cursor">;
  readonly positions: ListPositions;
  readonly owner: string;
  /** Names the list among those of its owner. */
  readonly name: string;
  /** Charges a request that costs so many. */
  readonly charge: (cost: number) => void;
  readonly isAborted: () => boolean;
  readonly clock: Clock;
}

/** The most time to fill a page and to count. */
const LIST_MS = 10_000;
/** The size of parts of the response. */
const PART_CHARACTERS = 65_536;
/** No cursor of a list is longer. */
const MAX_CURSOR_CHARACTERS = 8192;

/**
 * The documents of first pages, by the records of the page: the same bytes as long as no record changes, if the store keeps pages. A
 * repeated first page of 100 users then takes 0.2 ms instead of 0.9 ms.
 */
const firstPages = new WeakMap<Uint8Array, { readonly key: string; readonly documents: BodyPart }>();

/** Where a page begins: at a position, or so many resources after it. */
interface Start extends ListPosition {
  readonly offset: number;
  /** Whether the caller reads on where its last page ended. */
  readonly isNext: boolean;
}

const LIST_BEGIN = `{"schemas":["${messageUrns.list}"],"Resources":[`;

/** The whole list, if it has one document or none. */
export function formatShortList(document: string | undefined): string {
  const size = document === undefined ? 0 : 1;
  return `${LIST_BEGIN}${document ?? ""}${formatEnd({ size, startIndex: 1, total: size })}`;
}

/**
 * What follows the documents: the values are known after them. A page can have more resources than the total, which was counted before
 * it.
 */
function formatEnd({ size, startIndex, total, next }: ListEnd): string {
  const start = startIndex === undefined ? "" : `,"startIndex":${startIndex}`;
  const cursor = next === undefined ? "" : `,"nextCursor":"${next}"`;
  return `],"itemsPerPage":${size}${start},"totalResults":${Math.max(total, size)}${cursor}}`;
}

interface ListEnd {
  readonly size: number;
  readonly startIndex?: number;
  readonly total: number;
  readonly next?: string | undefined;
}

/** One page of a list. It is full unless it is the last. */
export class ListPage {
  readonly #list: ListPageParts;
  readonly #end: number;
  #hasBegun = false;
  readonly #totals: (ListTotal | undefined)[] = [];
  /** How many resources the page still takes, and how many it has. */
  #left: number;
  #size = 0;
  /** Whether the page follows one that the caller has read, and where the next one begins. */
  #isNext = false;
  #next: ListPosition | undefined;
  #buffer = "";

  constructor(list: ListPageParts) {
    this.#list = list;
    this.#end = list.clock.running() + LIST_MS;
    this.#left = list.request.count;
  }

  /** The response has begun: from now on, the page may take any time. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Writes the page as JSON, in parts. Throws a `ScimError`: `invalidCursor`, or `tooMany` if it takes too long. */
  async *write(): AsyncGenerator<BodyPart, void> {
    const { parts, request, charge } = this.#list;
    const start = this.#findStart();
    this.#isNext = start.isNext;
    const known = this.#findTotal(start);
    charge(parts.reduce((cost, { expression }) => cost + costOfFilter(expression) - 1, 1));
    // Before the first resource: a long response begins with it, and then no error can be sent.
    if (!known) for (const index of parts.keys()) if (index !== start.part) await this.#count(index);
    this.#buffer = LIST_BEGIN;
    if (request.count === 0 && !known) await this.#count(start.part);
    let { from, offset } = start;
    for (let index = start.part; index < parts.length && request.count > 0 && !this.#next; index++) {
      yield* this.#writePart(index, { from, offset, counts: !known });
      if (offset > 0) offset = this.#size > 0 ? 0 : offset - this.#countExactly(index);
      from = undefined;
    }
    const total = known ?? this.#sumTotals();
    this.#remember(total);
    yield this.#takeBuffer() + this.#formatEnd(total);
  }

  #findStart(): Start {
    const { parts, request, positions, owner, name } = this.#list;
    const { cursor, startIndex, count } = request;
    if (cursor === undefined) {
      const found = startIndex > 1 && count > 0 ? positions.find(owner, name, startIndex) : undefined;
      return found
        ? { ...found, offset: 0, isNext: true }
        : { part: 0, from: undefined, offset: startIndex - 1, isNext: false };
    }
    if (cursor === "") return { part: 0, from: undefined, offset: 0, isNext: false };
    const position = cursor.length <= MAX_CURSOR_CHARACTERS && parsePosition(parts, cursor);
    if (position) return { ...position, offset: 0, isNext: count > 0 };
    throw new ScimError("invalidCursor", "cursor: Send the nextCursor of a page of this list.");
  }

  /** Callers that read on get the total of a short time ago, so that reading many pages does not count as many times. */
  #findTotal({ isNext }: Start): ListTotal | undefined {
    const { parts, positions, owner, name } = this.#list;
    return isNext && parts.some(hasConditions) ? positions.findTotal(owner, name) : undefined;
  }

  async *#writePart(
    index: number,
    start: Pick<Start, "from" | "offset"> & { readonly counts: boolean },
  ): AsyncGenerator<BodyPart, void> {
    const part = this.#partAt(index);
    let { from, offset, counts } = start;
    let limit = part.maxRows;
    if (this.#left === 0) {
      if (!(await this.#isEmpty(index))) this.#next = { part: index, from: undefined };
      return;
    }
    do {
      const read = { from, offset, limit: Math.min(limit, this.#left) };
      const page = counts ? await this.#readAndCount(index, read) : await part.read(read);
      counts = false;
      this.#left -= page.size;
      if (page.size > 0) {
        const { pages } = part.writer;
        yield* pages
          ? this.#writePage(pages, page, from === undefined && offset === 0)
          : this.#writeRecords(part, page);
        limit = Math.max(1, Math.min(part.maxRows, Math.floor((READ_BYTES * page.size) / page.body.length)));
      }
      from = page.next;
      offset = 0;
      if (from && this.#left === 0) {
        this.#next = { part: index, from };
        return;
      }
      if (from) await this.#goOn();
    } while (from && !this.#list.isAborted());
  }

  /** Reads the first records of a part, and counts those that the page does not show. */
  async #readAndCount(index: number, read: PartRead): Promise<PartPage> {
    const part = this.#partAt(index);
    if (this.#totals[index]) return part.read(read);
    if (!hasConditions(part)) {
      const page = await part.read({ ...read, countMs: LIST_MS });
      this.#totals[index] = page.total;
      return page;
    }
    const page = await part.read(read);
    const { from, offset } = read;
    const showsEnd = page.next === undefined && from === undefined && (offset === 0 || page.size > 0);
    if (page.total) this.#totals[index] = page.total;
    else if (showsEnd) this.#totals[index] = { count: offset + page.size, capped: false };
    else await this.#countMatches(index);
    return page;
  }

  async #count(index: number): Promise<void> {
    await this.#readAndCount(index, { from: undefined, offset: 0, limit: 1 });
  }

  async #countMatches(index: number): Promise<void> {
    const { charge, clock } = this.#list;
    const part = this.#partAt(index);
    const { expression } = part;
    charge(1 + costOfFilter(expression, true) - costOfFilter(expression));
    const countMs = Math.max(0, this.#end - clock.running());
    const { total } = await part.read({ from: undefined, offset: 0, limit: 1, countMs });
    // Fewer than lists count to: the time was over.
    if (total?.capped && total.count < listLimits.count) throw tooMany();
    this.#totals[index] = total;
  }

  async #isEmpty(index: number): Promise<boolean> {
    const total = this.#totals[index];
    if (total) return total.count === 0;
    const { size } = await this.#partAt(index).read({ from: undefined, offset: 0, limit: 1 });
    return size === 0;
  }

  /** Writes all documents of a page, or those that were written before. */
  async *#writePage(
    { key, write }: PageWriter,
    page: PartPage,
    isFirst: boolean,
  ): AsyncGenerator<BodyPart, void> {
    const known = isFirst ? firstPages.get(page.body) : undefined;
    const kept = known?.key === key ? known : undefined;
    await this.#giveWay();
    const documents = kept?.documents ?? (await runInTurns(write(page.body), { owner: this.#list.owner }));
    if (isFirst && !kept) firstPages.set(page.body, { key, documents });
    if (this.#size > 0) this.#buffer += ",";
    this.#size += page.size;
    yield this.#takeBuffer();
    yield documents;
  }

  /** Adds the documents, with a comma in front of each but the first of the page. */
  async *#writeRecords({ writer }: ListPart, { body }: PartPage): AsyncGenerator<string, void> {
    await this.#giveWay();
    const records = parseRecords(body);
    writer.expect(records);
    for (const record of records) {
      await this.#giveWay();
      if (this.#size++ > 0) this.#buffer += ",";
      const written = writer.write(record);
      if (typeof written === "string") this.#buffer += written;
      else for await (const part of written) yield* this.#add(part);
      if (this.#buffer.length >= PART_CHARACTERS) yield this.#takeBuffer();
    }
  }

  *#add(part: string): Generator<string, void> {
    if (part === KEEP_ALIVE) {
      if (this.#buffer !== "") yield this.#takeBuffer();
      yield part;
    } else {
      this.#buffer += part;
      if (this.#buffer.length >= PART_CHARACTERS) yield this.#takeBuffer();
    }
  }

  #takeBuffer(): string {
    const buffer = this.#buffer;
    this.#buffer = "";
    return buffer;
  }

  #remember(total: ListTotal): void {
    const { request, positions, owner, name } = this.#list;
    if (!this.#next) return;
    positions.rememberTotal(owner, name, total);
    if (request.cursor === undefined)
      positions.remember(owner, name, request.startIndex + this.#size, this.#next);
  }

  #formatEnd({ count, capped }: ListTotal): string {
    const { request, parts } = this.#list;
    const { cursor, startIndex } = request;
    const size = this.#size;
    if (cursor !== undefined) {
      const next = this.#next && formatPosition(parts, this.#next);
      return formatEnd({ size, total: count, next });
    }
    // Callers stop at the total: whatever others create and delete in between, it leads them to the end of the list and no further.
    const reached = startIndex - 1 + size;
    const last = capped ? reached : Math.min(count, reached);
    const total = this.#next ? Math.max(count, reached + 1) : this.#isNext ? last : count;
    return formatEnd({ size, startIndex, total });
  }

  #sumTotals(): ListTotal {
    let sum: ListTotal = { count: 0, capped: false };
    for (const total of this.#totals)
      if (total) sum = { count: sum.count + total.count, capped: sum.capped || total.capped };
    return sum;
  }

  /** The total of a part that is skipped. */
  #countExactly(index: number): number {
    const total = this.#totals[index];
    if (!total || total.capped) throw tooMany();
    return Math.min(total.count, Number.MAX_SAFE_INTEGER);
  }

  /** Between two reads. */
  async #goOn(): Promise<void> {
    if (!this.#hasBegun && this.#list.clock.running() >= this.#end) throw tooMany();
    await this.#giveWay();
  }

  async #giveWay(): Promise<void> {
    if (loopShare.isSpent) await loopShare.nextTurn({ owner: this.#list.owner });
  }

  #partAt(index: number): ListPart {
    const part = this.#list.parts[index];
    if (!part) throw new Error("This list has no such part.");
    return part;
  }
}

/** Whether it takes time to count what a list has. */
function hasConditions({ filters, expression }: ListPart): boolean {
  return filters.length > 0 || expression !== undefined;
}

function tooMany(): ScimError {
  return new ScimError(
    "tooMany",
    `The list takes more than ${LIST_MS / 1000} s. Send a filter that matches fewer resources, or a smaller count.`,
  );
}

/** A list of one kind has the cursors of the API. In other lists, the number of the part is in front. */
function formatPosition(parts: readonly ListPart[], { part: index, from }: ListPosition): string {
  const part = parts[index];
  const cursor = part && from ? encodeCursor(part.order, from) : "";
  return parts.length === 1 ? cursor : `${index}.${cursor}`;
}

function parsePosition(parts: readonly ListPart[], text: string): ListPosition | undefined {
  const [, digit = "0", cursor = text] = parts.length === 1 ? [] : (/^(\d)\.(.*)$/.exec(text) ?? []);
  const index = Number(digit);
  const part = parts[index];
  if (!part) return undefined;
  if (cursor === "" && index > 0) return { part: index, from: undefined };
  const from = decodeCursor(part.fields, part.order, cursor);
  return from && { part: index, from };
}
