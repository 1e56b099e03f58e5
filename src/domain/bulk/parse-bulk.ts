import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { isObject } from "../../contract/json.ts";
import { parseJsonText } from "../json-text.ts";
import { ProblemError } from "../problem-error.ts";
import { loopShare } from "../scheduling/loop-share.ts";

/** Characters that are scanned or parsed at once, in a fraction of a millisecond. */
const STEP_CHARACTERS = 8192;

/**
 * Parses the body of a bulk change, as JSON.parse does, but in short steps: JSON.parse could take 50 ms. Everything except
 * `ids` may have `maxOtherBytes`. If a long list of ids contains something else than numbers, `ids` is null.
 */
export async function parseBulk(text: string, maxOtherBytes: number): Promise<unknown> {
  const parse = (json: string) => parseJsonText(json, "body", "invalid-bulk");
  if (text.length <= STEP_CHARACTERS) return parse(text);
  const ids = await findIds(text);
  const other = ids ? `${text.slice(0, ids.start)}null${text.slice(ids.end)}` : text;
  if (Buffer.byteLength(other) > maxOtherBytes) {
    throw new ProblemError("too-large", `The body without ids is larger than ${maxOtherBytes} bytes.`);
  }
  const body = parse(other);
  if (!ids || !isObject(body)) return body;
  return { ...body, ids: await parseNumbers(text.slice(ids.start + 1, ids.end - 1), parse) };
}

/** Finds the array `ids` of the outermost object: its brackets and everything in between. */
async function findIds(text: string): Promise<{ start: number; end: number } | undefined> {
  let found: { start: number; end: number } | undefined;
  let inIds = false;
  let depth = 0;
  let stringStart: number | undefined;
  let keyStart = 0;
  for (let at = 0; at < text.length; at++) {
    if (at % STEP_CHARACTERS === 0 && loopShare.isSpent) await loopShare.nextTurn();
    const character = text[at];
    if (stringStart !== undefined) {
      if (character === "\\") at++;
      else if (character === '"') {
        if (depth === 1) keyStart = stringStart;
        stringStart = undefined;
      }
    } else if (character === '"') stringStart = at;
    else if (character === "{") depth++;
    else if (character === "[") {
      depth++;
      if (depth === 2 && /^"ids"\s*:\s*$/.test(text.slice(keyStart, at))) {
        found = { start: at, end: text.length };
        inIds = true;
      }
    } else if (character === "}" || character === "]") {
      depth--;
      if (depth === 1 && found && inIds) {
        found.end = at + 1;
        inIds = false;
      }
    }
  }
  return found;
}

/** Parses the items of an array. Returns null if they are not numbers, or too many. */
async function parseNumbers(items: string, parse: (json: string) => unknown): Promise<number[] | null> {
  const numbers: number[] = [];
  if (items.trim() === "") return numbers;
  for (let start = 0; start <= items.length; ) {
    if (loopShare.isSpent) await loopShare.nextTurn();
    const comma = items.indexOf(",", start + STEP_CHARACTERS);
    const end = comma < 0 ? items.length : comma;
    const piece = items.slice(start, end);
    if (!/^[-+.eE\d\s,]*$/.test(piece)) return null;
    // After a comma, an item must follow.
    const parsed = parse(piece.trim() === "" ? piece : `[${piece}]`);
    if (!Array.isArray(parsed) || numbers.length + parsed.length > bulkLimits.ids) return null;
    numbers.push(...parsed);
    start = end + 1;
  }
  return numbers;
}
