import Type, { type TSchema } from "typebox";
import { filterLimits, listLimits, type listParameterNames, PATH_PATTERN } from "../listing.ts";
import type { Parameter } from "../operation.ts";
import { limitParameter } from "../parameters.ts";
import { Flag, Integer } from "../scalars.ts";
import { columnFields } from "./user-fields.ts";

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

export const userLimit = limitParameter("The maximum number of users per page.", { component: "UserLimit" });

export const search = query(
  "q",
  `Finds users by words, at most ${list.searchWords}: each must occur in the name or the email, in any order, ignoring case and accents. A word of 1 or 2 characters matches only the start of the name, of a word in it, or of the email.`,
  Type.String({ minLength: 1, maxLength: list.searchCharacters, pattern: SEARCH_PATTERN }),
  { example: "lovelace ada", component: "Search" },
);

export const filter = query(
  "filter",
  `A filter expression, in the grammar of SCIM (RFC 7644): \`eq\`, \`ne\`, \`co\`, \`sw\`, \`ew\`, \`gt\`, \`ge\`, \`lt\`, \`le\`, \`pr\`, \`and\`, \`or\`, \`not (…)\`. Text is in double quotes and compared ignoring case. Paths reach into custom fields and arrays: \`address.city eq "Oslo"\`, \`phones[type eq "work"].value sw "+47"\`. At most ${filterLimits.comparisons} comparisons and ${filterLimits.levels} levels of parentheses. Other filters and \`q\` must match too.`,
  Type.String({ minLength: 1, maxLength: filterLimits.characters }),
  { example: 'department eq "engines" and (level ge 3 or not (plan pr))', component: "Filter" },
);

export const sort = query(
  "sort",
  `The field to sort by, with \`-\` in front for descending order: ${columnFields.map((field) => `\`${field}\``).join(", ")}, \`userName\`, \`active\`, or the path of a custom field, such as \`level\` or \`address.city\`. Ties are sorted by id in the same direction. Case does not matter, in names and emails neither do accents. \`userName\`, \`active\` and custom fields are sorted by type first: numbers, text, booleans. Users without a value, or with null, an object or an array, come last in both directions.`,
  Type.String({ maxLength: list.sortCharacters, pattern: `^-?${PATH_PATTERN}$`, default: "id" }),
  { example: "-createdAt", component: "Sort" },
);

export const fields = query(
  "fields",
  `Only these fields of each user, separated by commas. \`id\` and \`version\` are always there. A path such as \`address.city\` selects a value inside a custom field, and inside the elements of an array. At most ${list.fields} fields.`,
  Type.String({
    maxLength: list.fieldsCharacters,
    pattern: `^${PATH_PATTERN}(,${PATH_PATTERN}){0,${list.fields - 1}}$`,
  }),
  { example: "id,name,address.city", component: "Fields" },
);

export const filters = query(
  "filters",
  `Any other parameter filters by the field of that name, custom fields included. A repeated parameter matches any of its values (at most ${list.filterValues}). Filters on several fields (at most ${list.filterFields}) must all match. Names, emails and user names are compared ignoring case, other fields by their exact text. An array matches if one of its elements does.`,
  Type.Object(
    {},
    { additionalProperties: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] } },
  ),
  { example: { department: ["engines", "research"] }, explode: true },
);

/** The query parameters of `GET /api/users`, and of its explanation. */
export const listParameters = [
  userLimit,
  query(
    "after",
    "An opaque cursor from the Link header of the previous page.",
    Type.String({ pattern: "^[A-Za-z0-9_.-]+$" }),
    { component: "AfterUser" },
  ),
  query(
    "offset",
    "The number of users to skip, for page numbers. Without it, no user is skipped. Only 0 can be sent together with `after`.",
    Integer({ minimum: 0, maximum: list.offset }),
    { component: "UserOffset" },
  ),
  sort,
  search,
  filter,
  fields,
  query("count", "Adds X-Total-Count to the response.", Flag, { component: "CountUsers" }),
  filters,
];
