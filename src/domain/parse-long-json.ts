import { isObject, type Json } from "../contract/json.ts";
import type { ProblemType } from "../contract/problems.ts";
import { MAX_PARSED_LEVELS, nestedTooDeeply, notJson, parseJsonText } from "./json-text.ts";
import { ProblemError } from "./problem-error.ts";
import { loopShare } from "./scheduling/loop-share.ts";

/** Characters that are scanned or parsed at once, in a fraction of a millisecond. */
const STEP_CHARACTERS = 8192;

/** The most bytes of UTF-8 that a character of a string takes. */
const MAX_CHARACTER_BYTES = 3;
const STEP_BYTES = MAX_CHARACTER_BYTES * STEP_CHARACTERS;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** No long array has a longer path. */
const MAX_PATH = 4;

/** Where a value is in a body: names, without decoding their escapes, and indexes. */
export type LongPath = readonly (string | number)[];

export interface LongJson {
  /** Whether the array at this path may be long. */
  readonly isLong: (path: LongPath) => boolean;
  /** What to keep of some items of a long array. By default, and of arrays of a few characters, the items. */
  readonly keep?: (items: Json[], path: LongPath) => Json[];
  /** The most items of a long array that are kept. One that has more is null. */
  readonly maxItems?: number;
  /** The most bytes of everything else together, and of an item of a long array. */
  readonly maxOtherBytes: number;
  /** The problem of a body that is nested too deeply. */
  readonly invalid: ProblemType;
}

/** A part of a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A long array in a text: its brackets and everything in between. */
interface LongArray extends Range {
  readonly path: LongPath;
  /** The commas at which the items are parted into pieces. */
  readonly cuts: readonly number[];
}

/** Parses a body as JSON.parse does, but its long arrays in short steps: JSON.parse could take 50 ms. */
export async function parseLongJson(text: string, options: LongJson): Promise<unknown> {
  const { invalid, keep = (items) => items, maxItems = Number.POSITIVE_INFINITY, maxOtherBytes } = options;
  const parse = (json: string) => parseJsonText(json, "body", invalid);
  if (text.length <= STEP_CHARACTERS) return parse(text);
  const arrays = await findLongArrays(text, options);
  const other = replaceArrays(text, { start: 0, end: text.length }, arrays);
  if (isLarger(other, maxOtherBytes)) throw tooLarge("The body without its long lists", maxOtherBytes);
  const body = parse(other);
  const replaced = new Map<string, Json>();
  for (const { path, start, cuts, end } of arrays) {
    const items: Json[] = [];
    let from = start + 1;
    for (const to of [...cuts, end - 1]) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      const piece = replaceArrays(text, { start: from, end: to }, arrays);
      // A long item can follow short ones.
      if (isLarger(piece, maxOtherBytes + STEP_BYTES)) throw tooLarge("An item of a list", maxOtherBytes);
      // Between commas, there is an item.
      const parsed = parse(piece.trim() === "" && cuts.length > 0 ? piece : `[${piece}]`);
      if (Array.isArray(parsed)) items.push(...keep(parsed, path));
      if (items.length > maxItems) break;
      from = to + 1;
    }
    replaceValue(body, path, { value: items.length > maxItems ? null : items, replaced });
  }
  return body;
}

function isLarger(json: string, bytes: number): boolean {
  if (json.length * MAX_CHARACTER_BYTES <= bytes) return false;
  return json.length > bytes || Buffer.byteLength(json) > bytes;
}

function tooLarge(what: string, maxBytes: number): ProblemError {
  return new ProblemError("too-large", `${what} is larger than ${maxBytes} bytes.`);
}

/** A part of the text, with null in place of the long arrays in it. The arrays are in the order of their starts. */
function replaceArrays(text: string, { start, end }: Range, arrays: readonly LongArray[]): string {
  let replaced = "";
  let from = start;
  for (const array of arrays) {
    if (array.start < from) continue;
    if (array.end > end) {
      if (array.start >= end) break;
      continue;
    }
    replaced += `${text.slice(from, array.start)}null`;
    from = array.end;
  }
  return replaced + text.slice(from, end);
}

/** An array or an object whose end is not found yet. One object for each level: a text can have a million values. */
interface OpenValue {
  isArray: boolean;
  /** The index of the next item. */
  index: number;
  /** Where the last text in an object is: the name of the value that follows. */
  nameStart: number;
  nameEnd: number;
  /** Of a long array: where it is, and its cuts so far. */
  long: { readonly path: LongPath; readonly start: number; readonly cuts: number[] } | undefined;
}

/** The long arrays of a text, in the order of their starts, without those of a few characters. */
async function findLongArrays(text: string, { isLong, invalid }: LongJson): Promise<LongArray[]> {
  const found: LongArray[] = [];
  const levels: OpenValue[] = [];
  let depth = 0;
  let current: OpenValue | undefined;
  let stringStart: number | undefined;
  const findPath = (): LongPath =>
    levels
      .slice(0, depth)
      .map(({ isArray, index, nameStart, nameEnd }) => (isArray ? index : text.slice(nameStart, nameEnd)));
  for (let at = 0, pause = 0; at < text.length; at++) {
    if (at >= pause) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      pause = at + STEP_CHARACTERS;
    }
    const code = text.charCodeAt(at);
    if (stringStart !== undefined) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) {
        if (current) {
          current.nameStart = stringStart;
          current.nameEnd = at;
        }
        stringStart = undefined;
      }
    } else if (code === QUOTE) stringStart = at + 1;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      const isArray = code === OPEN_ARRAY;
      const path = isArray && depth <= MAX_PATH ? findPath() : undefined;
      const long = path && isLong(path) ? { path, start: at, cuts: [] } : undefined;
      current = levels[depth] ??= { isArray, index: 0, nameStart: 0, nameEnd: 0, long };
      current.isArray = isArray;
      current.index = 0;
      current.long = long;
      if (++depth > MAX_PARSED_LEVELS) throw nestedTooDeeply("body", invalid);
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      if (current?.isArray !== (code === CLOSE_ARRAY)) throw notJson("body");
      const { long } = current;
      if (long && at - long.start > STEP_CHARACTERS) found.push({ ...long, end: at + 1 });
      current = levels[--depth - 1];
    } else if (code === COMMA && current) {
      const { long } = current;
      if (long && at - (long.cuts.at(-1) ?? long.start) > STEP_CHARACTERS) long.cuts.push(at);
      current.index++;
    }
  }
  if (depth > 0) throw notJson("body");
  return found.sort((a, b) => a.start - b.start);
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
