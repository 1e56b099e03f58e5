import { findParameterName, listLimits, listParameterNames } from "../../contract/listing.ts";
import { findNameError } from "../../contract/users/field-name.ts";
import { type FieldPath, formatFieldPath, parseFieldPath, parseFieldPaths } from "../../domain/field-path.ts";
import { FilterSyntaxError } from "../../domain/filter/filter-syntax-error.ts";
import { parseExpression } from "../../domain/filter/parse-expression.ts";
import { decodeCursor } from "../../domain/lists/cursor.ts";
import type { UserExpression } from "../../domain/lists/group-filters.ts";
import type { ListField, ListFields } from "../../domain/lists/list-fields.ts";
import type { Filter, ListQuery, Position } from "../../domain/lists/listing.ts";
import { searchedWords } from "../../domain/lists/searched-words.ts";
import { fieldPath } from "../../domain/lists/value-index.ts";
import { parseInteger } from "./integers.ts";
import {
  type AddError,
  collectErrors,
  type Parameters,
  parseParameters,
  splitPosition,
} from "./query-string.ts";

const reservedParameters = new Set<string>(listParameterNames);

const MAX_CACHED = 256;
const MAX_CACHED_CHARACTERS = 128;
const PAGING = ["limit", "after", "offset", "count"];

/** What parameters mean in lists of one kind of record. */
interface ParameterMeanings {
  /** The parameter that a caller means who sends this name. Undefined for the name of a field. */
  find(name: string): string | undefined;
  /** The parameter that filters by the ids of groups, or of members. */
  readonly membership?: string;
  /** Parses the parameter `filter`. Throws a `FilterSyntaxError`. */
  parseFilter(text: string): UserExpression;
}

/** Without groups: `groups` in a filter is a field like any other. */
const ofAnyRecord: ParameterMeanings = {
  find: findParameterName,
  parseFilter: (text) => ({ groups: [], expression: parseExpression(text) }),
};

/** Parses the query strings of lists with these fields. */
export class ListQueryParser<Field extends string> {
  readonly #fields: ListFields<Field | "id">;
  readonly #meanings: ParameterMeanings;
  /** Parsed first pages by query string without the position of the page: most callers read pages of a few lists. */
  readonly #cache = new Map<string, ListQuery<Field | "id">>();

  constructor(fields: ListFields<Field | "id">, meanings: ParameterMeanings = ofAnyRecord) {
    this.#fields = fields;
    this.#meanings = meanings;
  }

  /** Parses a query string without its question mark. Throws `invalid-query` with every error. */
  parse(queryString: string): ListQuery<Field | "id"> {
    const { position, rest } = splitPosition(queryString);
    const cached = this.#cache.get(rest);
    if (cached) return position === "" ? cached : this.#atPosition(cached, position);
    const query = this.#parse(queryString);
    if (rest.length > MAX_CACHED_CHARACTERS) return query;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    const named = { ...query, name: rest };
    this.#cache.set(rest, { ...named, from: undefined, offset: 0 });
    return named;
  }

  /** Another page of a list. */
  #atPosition(list: ListQuery<Field | "id">, position: string): ListQuery<Field | "id"> {
    return collectErrors((addError) => ({
      ...list,
      ...this.#parsePosition(parseOnce(position, addError), list, addError),
    }));
  }

  /** The rows to export. The same parameters as a list, except those of pages. `format` is not part of the list. Throws `invalid-query`. */
  parseExport(queryString: string): ListQuery<Field | "id"> {
    const parameters = new URLSearchParams(queryString);
    collectErrors((addError) => {
      for (const name of PAGING) {
        if (parameters.has(name)) addError(name, "An export is not paged. Remove this parameter.");
      }
    });
    const pairs = queryString.split("&").filter((pair) => !new URLSearchParams(pair).has("format"));
    return this.parse(pairs.join("&"));
  }

  #parse(queryString: string): ListQuery<Field | "id"> {
    return collectErrors((addError) => {
      const parameters = parseOnce(queryString, addError);
      const first = (name: string) => parameters.get(name)?.[0];
      const { pageSize } = listLimits;
      const order = this.#parseSort(first("sort"), addError);
      const limit = parseInteger(first("limit") ?? String(pageSize.default), 1, pageSize.maximum);
      if (limit === undefined) addError("limit", `Enter an integer from 1 to ${pageSize.maximum}.`);
      const position = this.#parsePosition(parameters, order, addError);
      const count = first("count") ?? "false";
      if (count !== "true" && count !== "false") addError("count", "Enter true or false.");
      const search = parseSearch(first("q"), addError);
      const filters = this.#parseFilters(parameters, addError);
      const filter = parseFilter(first("filter"), this.#meanings.parseFilter, addError);
      const fields = parseFields(first("fields"), addError);
      return {
        ...(order ?? { sort: "id", descending: false }),
        limit: limit ?? pageSize.default,
        ...position,
        search,
        filters: filter ? [...filters, ...filter.groups] : filters,
        expression: filter?.expression,
        count: count === "true",
        ...(fields && { fields }),
      };
    });
  }

  #isField(name: string): name is Field | "id" {
    return Object.hasOwn(this.#fields, name);
  }

  #parseSort(text = "id", addError: AddError): Order<Field | "id"> | undefined {
    const descending = text.startsWith("-");
    const name = descending ? text.slice(1) : text;
    if (this.#isField(name)) return { sort: name, descending };
    const path = isLongerThan(text, listLimits.sortCharacters) ? undefined : parseFieldPath(name);
    if (path) return { sort: { custom: fieldPath(path) }, descending };
    const names = Object.keys(this.#fields).join(", ");
    return addError(
      "sort",
      `Use ${names} or a custom field, such as level or address.city. Put - in front for descending order.`,
    );
  }

  #parsePosition(
    parameters: Parameters,
    order: Order | undefined,
    addError: AddError,
  ): Pick<ListQuery, "from" | "offset"> {
    const { offset: maxOffset } = listLimits;
    const offset = parseInteger(parameters.get("offset")?.[0] ?? "0", 0, maxOffset);
    if (offset === undefined) {
      const detail = `Enter an integer from 0 to ${maxOffset}. To read further, follow rel=next in the Link header.`;
      addError("offset", detail);
    }
    const [cursor] = parameters.get("after") ?? [];
    const from =
      order && cursor !== undefined ? this.#parseAfter(cursor, order, offset, addError) : undefined;
    return { from, offset: offset ?? 0 };
  }

  #parseAfter(
    cursor: string,
    order: Order,
    offset: number | undefined,
    addError: AddError,
  ): Position | undefined {
    if (offset !== 0) return addError("after", "Send either after or offset, not both.");
    return (
      decodeCursor(this.#fields, order, cursor) ??
      addError(
        "after",
        "Invalid cursor for this list. Use the whole URL of rel=next in the Link header, with the same sort.",
      )
    );
  }

  #parseFilters(parameters: Parameters, addError: AddError): Filter<Field | "id">[] {
    const filters: [string, string[]][] = [];
    for (const parameter of parameters) if (!reservedParameters.has(parameter[0])) filters.push(parameter);
    if (filters.length > listLimits.filterFields) {
      addError("", `Filter by at most ${listLimits.filterFields} fields.`);
      return [];
    }
    return filters.flatMap(([field, values]) => {
      const meant = this.#meanings.find(field);
      if (meant !== undefined && field !== this.#meanings.membership)
        addError(field, `Did you mean ${meant}? You cannot filter by a field called ${field} in this way.`);
      else if (findNameError(field)) addError(field, "This is not a valid field name.");
      else if (values.length > listLimits.filterValues)
        addError(field, `Send at most ${listLimits.filterValues} values.`);
      else return [this.#parseFilter(field, [...new Set(values)])];
      return [];
    });
  }

  /** Ignores values that no row can have. A filter without values matches no row. */
  #parseFilter(field: string, values: string[]): Filter<Field | "id"> {
    if (field === this.#meanings.membership)
      return { kind: "membership", by: "id", values: parseEach(values, parseId) };
    if (!this.#isField(field)) return { kind: "custom", field, values };
    const { type } = this.#fields[field];
    const parsed = parseEach(values, (text) => parseValue(type, text));
    return parsed.length > 0
      ? { kind: "column", field, values: parsed }
      : { kind: "column", field: "id", values: [], parameter: field };
  }
}

/** The values of texts that have one, each once. */
function parseEach<Value>(texts: readonly string[], parse: (text: string) => Value | undefined): Value[] {
  return [...new Set(texts.map(parse).filter((value) => value !== undefined))];
}

/** Parameters that lists send at most once. */
function parseOnce(queryString: string, addError: AddError): Parameters {
  const parameters = parseParameters(queryString, addError);
  for (const [name, values] of parameters) {
    if (values.length > 1 && reservedParameters.has(name)) addError(name, "Send this parameter once.");
  }
  return parameters;
}

type Order<Field extends string = string> = Pick<ListQuery<Field>, "sort" | "descending">;

/** Parses the parameter `filter`, if it is there. */
export function parseFilter<Parsed>(
  text: string | undefined,
  parse: (text: string) => Parsed,
  addError: AddError,
): Parsed | undefined {
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    return addError("filter", error.message, error.position);
  }
}

/** Counts characters as JSON Schema does: Unicode code points. */
function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && [...text].length > characters;
}

function parseFields(text: string | undefined, addError: AddError): FieldPath[] | undefined {
  if (text === undefined) return undefined;
  const { fields: maxFields, fieldsCharacters } = listLimits;
  if (isLongerThan(text, fieldsCharacters)) {
    return addError("fields", `Enter at most ${fieldsCharacters} characters.`);
  }
  const paths = parseFieldPaths(text);
  if (!paths) {
    return addError("fields", "Enter field names separated by commas, such as id,name,address.city.");
  }
  if (paths.length > maxFields) return addError("fields", `Enter at most ${maxFields} fields.`);
  const unique = new Map(paths.map((path) => [formatFieldPath(path), path]));
  return [...unique.values()];
}

export function parseSearch(text: string | undefined, addError: AddError): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const { searchCharacters, searchWords } = listLimits;
  if (text.length === 0 || [...text].length > searchCharacters) {
    return addError("q", `Enter 1 to ${searchCharacters} characters.`);
  }
  const words = text.trim().split(/\s+/);
  if (words.length > searchWords) return addError("q", `Enter at most ${searchWords} words.`);
  const folded = searchedWords(words);
  return folded.length === 0 ? addError("q", "Enter at least one letter, digit or symbol.") : folded;
}

const parseId = (text: string) => parseInteger(text, 0, Number.MAX_SAFE_INTEGER);

/** Undefined if no row can have this value. */
function parseValue(type: ListField["type"], text: string): string | number | undefined {
  if (type === "number") return parseId(text);
  return type === "time" ? parseTime(text) : type.fold(text);
}

function parseTime(text: string): number | undefined {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text ? time : undefined;
}
