import { isObject } from "../../contract/json.ts";
import { scimLimits } from "../../contract/scim/scim.ts";
import { ScimError } from "../../scim/scim-error.ts";
import { readScimQuery } from "./scim-query.ts";

/** What a caller wants of a list (RFC 7644, section 3.4.2; RFC 9865). */
export interface ListRequest {
  readonly filter: string | undefined;
  readonly sortBy: string | undefined;
  readonly descending: boolean;
  /** The most resources of the page; 0 to count only. */
  readonly count: number;
  /** From 1. Without meaning if there is a cursor. */
  readonly startIndex: number;
  /** Empty for the first page. */
  readonly cursor: string | undefined;
  readonly attributes: string | undefined;
  readonly excludedAttributes: string | undefined;
}

const names = [
  "filter",
  "sortBy",
  "sortOrder",
  "count",
  "startIndex",
  "cursor",
  "attributes",
  "excludedAttributes",
] as const;

const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));

type Texts = { readonly [Name in (typeof names)[number]]?: string };

/** Reads a query string. Throws a `ScimError`. */
export function readListQuery(queryString: string): ListRequest {
  return parseTexts(readScimQuery(queryString, names));
}

/** Reads the body of a search, a message of the type SearchRequest. Throws a `ScimError`. */
export function readSearchRequest(body: unknown): ListRequest {
  if (!isObject(body)) throw new ScimError("invalidSyntax", "Send a JSON object.");
  const sent = new Map<string, unknown>();
  for (const each in body) {
    const name = byLowerCase.get(each.toLowerCase());
    if (name !== undefined) sent.set(name, body[each]);
  }
  const texts: { [Name in (typeof names)[number]]?: string } = {};
  for (const name of names) {
    const value = sent.get(name) ?? undefined;
    if (value !== undefined) texts[name] = toText(name, value);
  }
  return parseTexts(texts);
}

/** Parameters of queries are texts. In bodies, numbers can be numbers, and lists of names are arrays. */
function toText(name: (typeof names)[number], value: unknown): string {
  const isNumber = name === "count" || name === "startIndex";
  const isList = name === "attributes" || name === "excludedAttributes";
  if (typeof value === "string") return value;
  if (isNumber && typeof value === "number") return String(value);
  if (isList && Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join();
  const expected = isList ? "an array of texts" : isNumber ? "an integer" : "a text";
  throw new ScimError("invalidValue", `${name}: Send ${expected}.`);
}

function parseTexts({ sortOrder, count, startIndex, ...texts }: Texts): ListRequest {
  const { filter, sortBy, cursor, attributes, excludedAttributes } = texts;
  const { pageSize } = scimLimits;
  const wanted = parseInteger("count", count) ?? pageSize.default;
  return {
    ...{ filter, sortBy, cursor, attributes, excludedAttributes },
    descending: isDescending(sortOrder),
    count: Math.min(Math.max(wanted, 0), pageSize.maximum),
    startIndex: Math.max(parseInteger("startIndex", startIndex) ?? 1, 1),
  };
}

function parseInteger(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^[+-]?\d{1,16}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new ScimError("invalidValue", `${name}: Enter an integer.`);
}

function isDescending(sortOrder = "ascending"): boolean {
  const order = sortOrder.toLowerCase();
  if (order === "ascending" || order === "descending") return order === "descending";
  throw new ScimError("invalidValue", "sortOrder: Enter ascending or descending.");
}
