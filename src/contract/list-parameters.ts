import Type, { type TSchema } from "typebox";
import { filterLimits, listLimits, type listParameterNames, PATH_PATTERN } from "./listing.ts";
import type { Parameter } from "./operation.ts";
import { limitParameter } from "./parameters.ts";
import { Flag, Integer } from "./scalars.ts";

/** What the texts of list parameters say about records of one kind. */
export interface ListedRecords {
  /** One record: `user`. Some names of components begin or end with it. */
  readonly one: string;
  /** In front of the other names of components. Empty for users: these names are older than other records. */
  readonly prefix: string;
  /** The fields that have columns. */
  readonly columns: readonly string[];
  /** Other fields that Roster defines, sorted like custom fields. */
  readonly sortedAsCustom: readonly string[];
  /** Where a search finds words: `the name or the email`. */
  readonly searched: string;
  /** Where a search finds short words: `the start of the name`. */
  readonly searchedStarts: string;
  /** Fields whose order ignores accents too: `names`. */
  readonly unaccented: string;
  /** Fields that filters compare ignoring case: `Names`. */
  readonly caseless: string;
  readonly examples: {
    readonly search: string;
    readonly filter: string;
    readonly sort: string;
    readonly fields: string;
    readonly filters: Readonly<Record<string, readonly string[]>>;
  };
}

const list = listLimits;

const query = <
  const Name extends (typeof listParameterNames)[number] | "filters",
  Schema extends TSchema,
  const Options extends Partial<Parameter>,
>(
  name: Name,
  description: string,
  schema: Schema,
  options: Options,
) => ({ in: "query" as const, name, description, schema, ...options });

/** Some words, without U+0000. */
const SEARCH_PATTERN = `^\\s*[^\\s\\u0000]+(\\s+[^\\s\\u0000]+){0,${list.searchWords - 1}}\\s*$`;

/** The query parameters of lists of records that callers sort, search and filter. */
export function listParametersOf(records: ListedRecords) {
  const { one, prefix, columns, sortedAsCustom, examples } = records;
  const many = `${one}s`;
  const One = capitalize(one);
  const asCustom = sortedAsCustom.map((field) => `\`${field}\``);

  const limit = limitParameter(`The maximum number of ${many} per page.`, { component: `${One}Limit` });

  const search = query(
    "q",
    `Finds ${many} by words, at most ${list.searchWords}: each must occur in ${records.searched}, in any order, ignoring case and accents. A word of 1 or 2 characters matches only ${records.searchedStarts}.`,
    Type.String({ minLength: 1, maxLength: list.searchCharacters, pattern: SEARCH_PATTERN }),
    { example: examples.search, component: `${prefix}Search` },
  );

  const filter = query(
    "filter",
    `A filter expression, in the grammar of SCIM (RFC 7644): \`eq\`, \`ne\`, \`co\`, \`sw\`, \`ew\`, \`gt\`, \`ge\`, \`lt\`, \`le\`, \`pr\`, \`and\`, \`or\`, \`not (…)\`. Text is in double quotes and compared ignoring case. Paths reach into custom fields and arrays: \`address.city eq "Oslo"\`, \`phones[type eq "work"].value sw "+47"\`. At most ${filterLimits.comparisons} comparisons and ${filterLimits.levels} levels of parentheses. Other filters and \`q\` must match too.`,
    Type.String({ minLength: 1, maxLength: filterLimits.characters }),
    { example: examples.filter, component: `${prefix}Filter` },
  );

  const sort = query(
    "sort",
    `The field to sort by, with \`-\` in front for descending order: ${[...columns.map((field) => `\`${field}\``), ...asCustom].join(", ")}, or the path of a custom field, such as \`level\` or \`address.city\`. Ties are sorted by id in the same direction. Case does not matter, in ${records.unaccented} neither do accents. ${capitalize([...asCustom, "custom fields"].join(", ").replace(/, (?=[^,]*$)/, " and "))} are sorted by type first: numbers, text, booleans. ${capitalize(many)} without a value, or with null, an object or an array, come last in both directions.`,
    Type.String({ maxLength: list.sortCharacters, pattern: `^-?${PATH_PATTERN}$`, default: "id" }),
    { example: examples.sort, component: `${prefix}Sort` },
  );

  const fields = query(
    "fields",
    `Only these fields of each ${one}, separated by commas. \`id\` and \`version\` are always there. A path such as \`address.city\` selects a value inside a custom field, and inside the elements of an array. At most ${list.fields} fields.`,
    Type.String({
      maxLength: list.fieldsCharacters,
      pattern: `^${PATH_PATTERN}(,${PATH_PATTERN}){0,${list.fields - 1}}$`,
    }),
    { example: examples.fields, component: `${prefix}Fields` },
  );

  const filters = query(
    "filters",
    `Any other parameter filters by the field of that name, custom fields included. A repeated parameter matches any of its values (at most ${list.filterValues}). Filters on several fields (at most ${list.filterFields}) must all match. ${records.caseless} are compared ignoring case, other fields by their exact text. An array matches if one of its elements does.`,
    Type.Object(
      {},
      { additionalProperties: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] } },
    ),
    { example: examples.filters, explode: true },
  );

  const after = query(
    "after",
    "An opaque cursor from the Link header of the previous page.",
    Type.String({ pattern: "^[A-Za-z0-9_.-]+$" }),
    { component: `After${One}` },
  );

  const offset = query(
    "offset",
    `The number of ${many} to skip, for page numbers. Without it, no ${one} is skipped. Only 0 can be sent together with \`after\`.`,
    Integer({ minimum: 0, maximum: list.offset }),
    { component: `${One}Offset` },
  );

  const count = query("count", "Adds X-Total-Count to the response.", Flag, { component: `Count${One}s` });

  return {
    ...{ limit, sort, search, filter, fields, filters },
    all: [limit, after, offset, sort, search, filter, fields, count, filters] as const,
  };
}

function capitalize(text: string): string {
  return text.replace(/^[a-z]/, (first) => first.toUpperCase());
}
