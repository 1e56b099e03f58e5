/** Query parameters of lists. Any other parameter filters by the field of that name, except `group` in lists of users. */
export const listParameterNames = [
  "limit",
  "after",
  "offset",
  "sort",
  "q",
  "filter",
  "fields",
  "count",
] as const;

type ListParameterName = (typeof listParameterNames)[number];

/** Parameter names of other APIs, with ours. A filter by such a name would silently return an empty list. */
export const foreignParameterNames: Readonly<Record<string, ListParameterName>> = {
  page: "offset",
  _page: "offset",
  skip: "offset",
  start: "offset",
  _start: "offset",
  cursor: "after",
  per_page: "limit",
  perPage: "limit",
  pageSize: "limit",
  page_size: "limit",
  _limit: "limit",
  _end: "limit",
  order: "sort",
  orderBy: "sort",
  order_by: "sort",
  _sort: "sort",
  _order: "sort",
  search: "q",
  query: "q",
  select: "fields",
  _fields: "fields",
};

/** The parameter that a caller means: for our names in any case, and for the names of other APIs. */
export function findParameterName(name: string): ListParameterName | undefined {
  if (Object.hasOwn(foreignParameterNames, name)) return foreignParameterNames[name];
  const lowerCase = name.toLowerCase();
  return listParameterNames.find((parameter) => parameter === lowerCase);
}

/** Of lists of users: selects the members of groups. */
export const GROUP_PARAMETER = "group";

/** Like `findParameterName`, for lists of users. */
export function findUserParameterName(name: string): ListParameterName | typeof GROUP_PARAMETER | undefined {
  return findParameterName(name) ?? (/^groups?$/i.test(name) ? GROUP_PARAMETER : undefined);
}

/** Whether `?field=value` filters users by a field of this name. */
export function isFilterName(field: string): boolean {
  return findUserParameterName(field) === undefined;
}

export const listLimits = {
  pageSize: { default: 100, maximum: 1000 },
  offset: 10_000_000,
  searchCharacters: 100,
  searchWords: 10,
  /** Fields that one list can filter by, and values per field. */
  filterFields: 10,
  filterValues: 100,
  /** Fields that `fields` can name, and its length. */
  fields: 100,
  fieldsCharacters: 4096,
  /** The length of `sort`. Longer paths are not indexed. */
  sortCharacters: 200,
  /** Filtered lists are counted up to this number. */
  count: 100_000,
} as const;

/** The limits of a filter expression. Parentheses and brackets count as levels; each operator counts as a comparison. */
export const filterLimits = { characters: 4096, comparisons: 50, levels: 8 } as const;

const NAME = "[A-Za-z_$][A-Za-z0-9_$-]*";
const JSON_STRING = '"([^"\\\\\\u0000-\\u001f]|\\\\(["\\\\/bfnrt]|u[0-9A-Fa-f]{4}))*"';
/** A name in a path: bare, or as a JSON string if it has other characters. */
export const PATH_NAME_PATTERN = `(${NAME}|${JSON_STRING})`;
/** The path of a field or of a value inside it: `address.city`. */
export const PATH_PATTERN = `${PATH_NAME_PATTERN}(\\.${PATH_NAME_PATTERN})*`;
