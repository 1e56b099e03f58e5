import { isUtf8 } from "node:buffer";
import { isObject, type Json } from "../contract/json.ts";
import type { ProblemType } from "../contract/problems.ts";
import { itemTooLarge, JsonScanner, OPEN_ARRAY, OPEN_OBJECT } from "./json-scanner.ts";
import {
  decodeBody,
  decodePart,
  MAX_PARSED_LEVELS,
  nestedTooDeeply,
  notJson,
  notUtf8,
  parseJsonText,
} from "./json-text.ts";
import { ProblemError } from "./problem-error.ts";
import { loopShare } from "./scheduling/loop-share.ts";

/** Bytes that are read at once, in a fraction of a millisecond. */
const STEP_BYTES = 8192;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [CLOSE_ARRAY, CLOSE_OBJECT] = [0x5d, 0x7d];

/** No long array has a longer path. */
const MAX_PATH = 4;

/** Where a value is in a body: names, without decoding their escapes, and indexes. */
export type LongPath = readonly (string | number)[];

/** What a long array is read with, instead of being parsed. */
export interface ItemReader {
  /** Moves past an item. */
  read(json: JsonScanner): void;
  /** What the body has in place of the array. */
  readonly value: Json;
}

export interface LongJson {
  /** Whether the array at this path may be long. */
  readonly isLong: (path: LongPath) => boolean;
  /** How to read such an array: `body` has everything beside these arrays. Undefined: its items are parsed. */
  readonly open?: (path: LongPath, body: unknown) => ItemReader;
  /** The most items of a long array that are kept. One that has more is null. */
  readonly maxItems?: number;
  /** The most bytes of everything else together, and of an item of a long array. */
  readonly maxOtherBytes: number;
  /** The problem of a body that is nested too deeply. */
  readonly invalid: ProblemType;
}

/** A part of a body. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A long array in a body: its brackets and everything in between. */
interface LongArray {
  readonly path: LongPath;
  readonly start: number;
  /** The commas at which the items are parted into pieces. */
  readonly cuts: number[];
  end: number;
}

/** Parses a body as JSON.parse does, but its long arrays in short steps: JSON.parse could take 50 ms. */
export async function parseLongJson(bytes: Uint8Array, options: LongJson): Promise<unknown> {
  const { invalid, maxOtherBytes } = options;
  if (bytes.length <= STEP_BYTES) return parseJsonText(decodeBody(bytes), "body", invalid);
  if (!isUtf8(bytes)) throw notUtf8();
  const arrays = await findLongArrays(bytes, options);
  const start = MARK.every((code, index) => bytes[index] === code) ? MARK.length : 0;
  const other = replaceArrays(bytes, { start, end: bytes.length }, arrays);
  if (isLarger(other, maxOtherBytes)) throw otherTooLarge(maxOtherBytes);
  const body = parseJsonText(other, "body", invalid);
  const replaced = new Map<string, Json>();
  for (const array of arrays) {
    if (loopShare.isSpent) await loopShare.nextTurn();
    const { path } = array;
    const reader = options.open?.(path, body);
    const value = await (reader
      ? readItems(bytes, array, reader, options)
      : parseItems(bytes, array, arrays, options));
    replaceValue(body, path, { value, replaced });
  }
  return body;
}

/** The byte order mark that can be in front of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];

async function readItems(
  bytes: Uint8Array,
  { start, end }: Range,
  reader: ItemReader,
  { maxOtherBytes, invalid }: LongJson,
): Promise<Json> {
  const json = new JsonScanner(bytes, { start, end, maxItemBytes: maxOtherBytes, invalid });
  let pause = start + STEP_BYTES;
  json.beginItem();
  for (let hasItem = json.enter(OPEN_ARRAY); hasItem; hasItem = json.hasNext(OPEN_ARRAY)) {
    json.beginItem();
    reader.read(json);
    if (json.at >= pause) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      pause = json.at + STEP_BYTES;
    }
  }
  return reader.value;
}

async function parseItems(
  bytes: Uint8Array,
  { start, cuts, end }: LongArray,
  arrays: readonly LongArray[],
  { maxItems = Number.POSITIVE_INFINITY, maxOtherBytes, invalid }: LongJson,
): Promise<Json> {
  const items: Json[] = [];
  let from = start + 1;
  for (const to of [...cuts, end - 1]) {
    const piece = replaceArrays(bytes, { start: from, end: to }, arrays);
    // A long item can follow short ones.
    if (isLarger(piece, maxOtherBytes + STEP_BYTES)) throw itemTooLarge(maxOtherBytes);
    // Between commas, there is an item.
    const json = piece.trim() === "" && cuts.length > 0 ? piece : `[${piece}]`;
    const parsed = parseJsonText(json, "body", invalid);
    if (Array.isArray(parsed)) items.push(...parsed);
    if (items.length > maxItems) return null;
    from = to + 1;
    if (loopShare.isSpent) await loopShare.nextTurn();
  }
  return items;
}

function isLarger(json: string, bytes: number): boolean {
  return json.length > bytes || (json.length * 3 > bytes && Buffer.byteLength(json) > bytes);
}

/** A part of a body, with null in place of the long arrays in it. The arrays are in the order of their starts. */
function replaceArrays(bytes: Uint8Array, { start, end }: Range, arrays: readonly LongArray[]): string {
  let replaced = "";
  let from = start;
  for (const array of arrays) {
    if (array.start < from) continue;
    if (array.end > end) {
      if (array.start >= end) break;
      continue;
    }
    replaced += `${decodePart(bytes.subarray(from, array.start))}null`;
    from = array.end;
  }
  return replaced + decodePart(bytes.subarray(from, end));
}

/** An array or an object whose end is not found yet. One object for each level: a body can have a million values. */
interface OpenValue {
  isArray: boolean;
  /** The index of the next item. */
  index: number;
  /** Where the last text in an object is: the name of the value that follows. */
  nameStart: number;
  nameEnd: number;
  long: LongArray | undefined;
}

/** The long arrays of a body, in the order of their starts. */
async function findLongArrays(bytes: Uint8Array, options: LongJson): Promise<readonly LongArray[]> {
  const finder = new ArrayFinder(bytes, options);
  for (let end = STEP_BYTES; finder.readTo(end); end += STEP_BYTES) {
    if (loopShare.isSpent) await loopShare.nextTurn();
  }
  return finder.arrays;
}

/** Follows a body by its quotes and brackets. */
class ArrayFinder {
  readonly arrays: LongArray[] = [];
  readonly #bytes: Uint8Array;
  readonly #options: LongJson;
  readonly #levels: OpenValue[] = [];
  #depth = 0;
  #at = 0;
  /** Where the text is that has not ended. */
  #textStart: number | undefined;
  /** The long array that the others are in. */
  #outer: LongArray | undefined;
  /** Bytes of the long arrays before. */
  #longBytes = 0;

  constructor(bytes: Uint8Array, options: LongJson) {
    this.#bytes = bytes;
    this.#options = options;
  }

  /** Reads the bytes up to this one. Returns false at the end of the body. */
  readTo(end: number): boolean {
    const bytes = this.#bytes;
    const last = Math.min(end, bytes.length);
    let at = this.#at;
    for (; at < last; at++) {
      const code = bytes[at];
      if (this.#textStart !== undefined) {
        if (code === BACKSLASH) at++;
        else if (code === QUOTE) this.#endText(at);
      } else if (code === QUOTE) this.#textStart = at + 1;
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) this.#enter(at, code === OPEN_ARRAY);
      else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) this.#leave(at + 1, code === CLOSE_ARRAY);
      else if (code === COMMA) this.#endItem(at);
    }
    this.#at = at;
    const { maxOtherBytes } = this.#options;
    if ((this.#outer?.start ?? at) - this.#longBytes > maxOtherBytes) throw otherTooLarge(maxOtherBytes);
    if (at < bytes.length) return true;
    if (this.#depth > 0) throw notJson("body");
    this.arrays.sort((a, b) => a.start - b.start);
    return false;
  }

  get #current(): OpenValue | undefined {
    return this.#levels[this.#depth - 1];
  }

  #endText(end: number): void {
    const current = this.#current;
    if (current) {
      current.nameStart = this.#textStart ?? end;
      current.nameEnd = end;
    }
    this.#textStart = undefined;
  }

  #enter(start: number, isArray: boolean): void {
    const long = isArray ? this.#findLong(start) : undefined;
    const level = this.#levels[this.#depth];
    if (level) {
      level.isArray = isArray;
      level.index = 0;
      level.long = long;
    } else this.#levels.push({ isArray, index: 0, nameStart: 0, nameEnd: 0, long });
    this.#outer ??= long;
    if (++this.#depth > MAX_PARSED_LEVELS) throw nestedTooDeeply("body", this.#options.invalid);
  }

  /** Arrays that are not parsed have no long arrays in them. */
  #findLong(start: number): LongArray | undefined {
    const { isLong, open } = this.#options;
    if (this.#depth > MAX_PATH || (open && this.#outer)) return undefined;
    const path = this.#levels
      .slice(0, this.#depth)
      .map(({ isArray, index, nameStart, nameEnd }) =>
        isArray ? index : decodePart(this.#bytes.subarray(nameStart, nameEnd)),
      );
    return isLong(path) ? { path, start, cuts: [], end: start } : undefined;
  }

  #leave(end: number, isArray: boolean): void {
    const current = this.#current;
    if (current?.isArray !== isArray) throw notJson("body");
    this.#depth--;
    const { long } = current;
    if (!long) return;
    long.end = end;
    const length = end - long.start;
    const isKept = this.#options.open !== undefined || length > STEP_BYTES;
    if (isKept) this.arrays.push(long);
    if (this.#outer !== long) return;
    this.#outer = undefined;
    if (isKept) this.#longBytes += length;
  }

  #endItem(at: number): void {
    const current = this.#current;
    if (!current) return;
    current.index++;
    const { long } = current;
    if (long && at - (long.cuts.at(-1) ?? long.start) > STEP_BYTES) long.cuts.push(at);
  }
}

function otherTooLarge(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `The body without its long lists is larger than ${maxBytes} bytes.`);
}

interface Replacement {
  readonly value: Json;
  /** What is at the paths of earlier arrays. */
  readonly replaced: Map<string, Json>;
}

/**
 * Sets the value at a path, where the parsed text has null, or an earlier array of the same name. Nothing is set if a later member of
 * this name has another value.
 */
function replaceValue(body: unknown, path: LongPath, { value, replaced }: Replacement): void {
  const name = JSON.stringify(path);
  const key = path.at(-1);
  const parent = path.slice(0, -1).reduce(childOf, body);
  const current = key === undefined ? undefined : childOf(parent, key);
  if (key === undefined || current === undefined) return;
  if (current !== null && current !== replaced.get(name)) return;
  replaced.set(name, value);
  if (Array.isArray(parent) && typeof key === "number") parent[key] = value;
  else if (isObject(parent)) parent[key] = value;
}

function childOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
