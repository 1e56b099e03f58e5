import { listLimits, sortFields } from "../contract/listing.ts";
import type { FieldError } from "../contract/problems.ts";
import { credentialFields, FIELD_NAME_PATTERN, prototypeNames } from "../contract/user.ts";
import { foldCase, foldText } from "../domain/fold.ts";
import { decodeCursor, type Filter, type ListQuery, type Position } from "../domain/listing.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { filterTerm } from "../domain/user.ts";

const fieldName = new RegExp(FIELD_NAME_PATTERN);
const neverFields = new Set<string>([...credentialFields, ...prototypeNames]);
const reserved = new Set(["limit", "after", "offset", "sort", "q", "count"]);

type Parameters = Map<string, string[]>;

/** Callers ask for the same few lists again and again: these are known by their query string. */
const known = new Map<string, ListQuery>();
const MOST_KNOWN = 256;
const LONGEST_KNOWN = 128;

/** A query string (without its question mark) as what the store is asked for. Fails with `invalid-query` and every fault at once. */
export function parseListQuery(search: string): ListQuery {
  const before = known.get(search);
  if (before) return before;
  const query = parse(search);
  if (search.length <= LONGEST_KNOWN) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(search, query);
  }
  return query;
}

function parse(search: string): ListQuery {
  const faults: FieldError[] = [];
  const fault = (parameter: string, detail: string) => {
    faults.push({ parameter, detail });
    return undefined;
  };
  const parameters = parseParameters(search, fault);
  for (const [name, values] of parameters) {
    if (values.length > 1 && reserved.has(name)) fault(name, "Give it once.");
  }
  const one = (name: string) => parameters.get(name)?.[0];
  const { pageSize, offset: mostOffset } = listLimits;

  const order =
    parseSort(one("sort")) ??
    fault("sort", `It takes ${sortFields.join(", ")}, with - before it for descending.`);
  const limit =
    parseWhole(one("limit"), 1, pageSize.maximum, pageSize.default) ??
    fault("limit", `It takes 1 to ${pageSize.maximum}.`);
  const offset =
    parseWhole(one("offset"), 0, mostOffset, 0) ??
    fault(
      "offset",
      `It takes 0 to ${mostOffset}. To go farther, follow the next address of the Link header.`,
    );
  const count = one("count") ?? "false";
  if (count !== "true" && count !== "false") fault("count", "It takes true or false.");
  const from = order && parseAfter(one("after"), order, parameters.has("offset"), fault);
  const text = parseSearch(one("q"), fault);
  const filters = parseFilters(parameters, fault);

  if (faults.length > 0 || !order || limit === undefined || offset === undefined) {
    throw new ProblemError(
      "invalid-query",
      faults.map(({ parameter, detail }) => (parameter ? `${parameter}: ${detail}` : detail)).join(" "),
      faults,
    );
  }
  return { ...order, limit, offset, from, search: text, filters, count: count === "true" };
}

type Complain = (parameter: string, detail: string) => undefined;

/** Read by hand: what is not valid percent-encoded UTF-8 is refused rather than replaced. */
function parseParameters(search: string, fault: Complain): Parameters {
  const parameters: Parameters = new Map();
  for (const pair of search.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const values = name === undefined ? undefined : parameters.get(name);
    if (name === undefined || value === undefined)
      fault(name ?? "", "It is not valid percent-encoded UTF-8.");
    else if (value.includes("\u0000")) fault(name, "It may not hold U+0000.");
    else if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  return parameters;
}

const ENCODED = /[%+]/;

function decode(text: string): string | undefined {
  if (!ENCODED.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function parseSort(text = "id"): Pick<ListQuery, "sort" | "descending"> | undefined {
  const descending = text.startsWith("-");
  const sort = sortFields.find((field) => field === (descending ? text.slice(1) : text));
  return sort && { sort, descending };
}

function parseWhole(
  text: string | undefined,
  low: number,
  high: number,
  standard: number,
): number | undefined {
  if (text === undefined) return standard;
  const value = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
  return value >= low && value <= high ? value : undefined;
}

function parseAfter(
  cursor: string | undefined,
  order: Pick<ListQuery, "sort" | "descending">,
  offsetGiven: boolean,
  fault: Complain,
): Position | undefined {
  if (cursor === undefined) return undefined;
  if (offsetGiven) return fault("after", "Give either after or offset, not both.");
  return (
    decodeCursor(order, cursor) ??
    fault(
      "after",
      "It is not a cursor of this list: take the whole next address from the Link header, with the same sort.",
    )
  );
}

function parseSearch(text: string | undefined, fault: Complain): string | undefined {
  if (text === undefined) return undefined;
  const { searchCharacters } = listLimits;
  if (text.length === 0 || [...text].length > searchCharacters) {
    return fault("q", `It takes 1 to ${searchCharacters} characters.`);
  }
  const folded = foldText(text.trim()).trim();
  return folded === "" ? fault("q", "There is nothing in it to look for.") : folded;
}

function parseFilters(parameters: Parameters, fault: Complain): Filter[] {
  const filters: [string, string[]][] = [];
  for (const parameter of parameters) if (!reserved.has(parameter[0])) filters.push(parameter);
  if (filters.length > listLimits.filterFields) {
    fault("", `At most ${listLimits.filterFields} fields can be filtered on at once.`);
    return [];
  }
  return filters.flatMap(([field, values]) => {
    if (!fieldName.test(field) || neverFields.has(field))
      fault(field, "No user can have a field of this name.");
    else if (values.length > listLimits.filterValues)
      fault(field, `It takes at most ${listLimits.filterValues} values.`);
    else return [parseFilter(field, [...new Set(values)])];
    return [];
  });
}

/** Values that no user could have are left out; without any left, the filter is for nobody. */
function parseFilter(field: string, values: string[]): Filter {
  switch (field) {
    case "id":
      return { kind: "column", field, values: values.map(parseId).filter((id) => id !== undefined) };
    case "email":
    case "name":
      return { kind: "column", field, values: [...new Set(values.map(foldCase))] };
    case "version":
    case "createdAt":
    case "updatedAt": {
      const numbers = values
        .map(field === "version" ? parseId : parseTime)
        .filter((one) => one !== undefined);
      return numbers.length > 0
        ? { kind: "column", field, values: numbers }
        : { kind: "column", field: "id", values: [] };
    }
    default:
      return { kind: "custom", field, values: values.map(filterTerm) };
  }
}

/** A positive whole number in plain decimal, or undefined. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

function parseTime(text: string): number | undefined {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text ? time : undefined;
}
