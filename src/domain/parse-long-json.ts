import { isObject, type Json } from "../contract/json.ts";
import type { ProblemType } from "../contract/problems.ts";
import { MAX_PARSED_LEVELS, nestedTooDeeply, notJson, parseJsonText } from "./json-text.ts";
import { ProblemError } from "./problem-error.ts";
import { loopShare } from "./scheduling/loop-share.ts";

/** Characters that are scanned or parsed at once, in a fraction of a millisecond. */
const STEP_CHARACTERS = 8192;

/** No long array has a longer path. */
const MAX_PATH = 4;

/** Where a value is in a body: names, without decoding their escapes, and indexes. */
export type LongPath = readonly (string | number)[];

export interface LongJson {
  /** Whether the array at this path may be long. No such array is part of another one. */
  readonly isLong: (path: LongPath) => boolean;
  /** The most items of a long array. One that has more is null. */
  readonly maxItems?: number;
  /** The most bytes of everything else together, and of a few items of a long array. */
  readonly maxOtherBytes: number;
  /** The problem of a body that is nested too deeply. */
  readonly invalid: ProblemType;
}

/** A long array in a text: its brackets and everything in between. */
interface LongArray {
  readonly path: LongPath;
  readonly start: number;
  end: number;
  /** The commas at which the items are parted into pieces. */
  readonly cuts: number[];
}

/** Parses a body as JSON.parse does, but its long arrays in short steps: JSON.parse could take 50 ms. */
export async function parseLongJson(text: string, options: LongJson): Promise<unknown> {
  const { maxItems = Number.POSITIVE_INFINITY, maxOtherBytes, invalid } = options;
  const parse = (json: string) => parseJsonText(json, "body", invalid);
  if (text.length <= STEP_CHARACTERS) return parse(text);
  const arrays = await findLongArrays(text, options);
  let other = "";
  let end = 0;
  for (const array of arrays) {
    other += `${text.slice(end, array.start)}null`;
    end = array.end;
  }
  other += text.slice(end);
  const checkSize = (json: string, what: string) => {
    if (json.length * 3 <= maxOtherBytes || Buffer.byteLength(json) <= maxOtherBytes) return;
    throw new ProblemError("too-large", `${what} is larger than ${maxOtherBytes} bytes.`);
  };
  checkSize(other, "The body without its long lists");
  const body = parse(other);
  for (const { path, start, cuts, end } of arrays) {
    const items: Json[] = [];
    let from = start + 1;
    for (const to of [...cuts, end - 1]) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      const piece = text.slice(from, to);
      checkSize(piece, "An item of a list");
      // Between commas, there is an item.
      const parsed = parse(piece.trim() === "" && cuts.length > 0 ? piece : `[${piece}]`);
      if (Array.isArray(parsed)) items.push(...parsed);
      if (items.length > maxItems) break;
      from = to + 1;
    }
    replaceNull(body, path, items.length > maxItems ? null : items);
  }
  return body;
}

/** An array or an object whose end is not found yet. */
interface OpenValue {
  readonly isArray: boolean;
  /** The name or the index of what comes next. */
  key: string | number;
}

/** The long arrays of a text, in order, without those of a few characters. */
async function findLongArrays(text: string, { isLong, invalid }: LongJson): Promise<LongArray[]> {
  const found: LongArray[] = [];
  const open: OpenValue[] = [];
  let long: LongArray | undefined;
  let longDepth = 0;
  let stringStart: number | undefined;
  let pause = 0;
  for (let at = 0; at < text.length; at++) {
    if (at >= pause) {
      if (loopShare.isSpent) await loopShare.nextTurn();
      pause = at + STEP_CHARACTERS;
    }
    const character = text[at];
    const current = open.at(-1);
    if (stringStart !== undefined) {
      if (character === "\\") at++;
      else if (character === '"') {
        if (!long && current && !current.isArray) current.key = text.slice(stringStart, at);
        stringStart = undefined;
      }
    } else if (character === '"') stringStart = at + 1;
    else if (character === "[" || character === "{") {
      const isArray = character === "[";
      if (isArray && !long && open.length <= MAX_PATH) {
        const path = open.map(({ key }) => key);
        if (isLong(path)) {
          long = { path, start: at, end: text.length, cuts: [] };
          longDepth = open.length + 1;
        }
      }
      open.push({ isArray, key: isArray ? 0 : "" });
      if (open.length > MAX_PARSED_LEVELS) throw nestedTooDeeply("body", invalid);
    } else if (character === "]" || character === "}") {
      if (!current || current.isArray !== (character === "]")) throw notJson("body");
      if (long && open.length === longDepth) {
        long.end = at + 1;
        if (long.end - long.start > STEP_CHARACTERS) found.push(long);
        long = undefined;
      }
      open.pop();
    } else if (character === "," && current) {
      if (typeof current.key === "number") current.key++;
      if (long && open.length === longDepth && at - (long.cuts.at(-1) ?? long.start) > STEP_CHARACTERS)
        long.cuts.push(at);
    }
  }
  if (open.length > 0) throw notJson("body");
  return found;
}

/** Sets the value at a path, where the parsed text has null. A later member of the same name may have replaced it. */
function replaceNull(body: unknown, path: LongPath, value: Json): void {
  const key = path.at(-1);
  const parent = path.slice(0, -1).reduce(childOf, body);
  if (key === undefined || childOf(parent, key) !== null) return;
  if (Array.isArray(parent) && typeof key === "number") parent[key] = value;
  else if (isObject(parent)) parent[key] = value;
}

function childOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
