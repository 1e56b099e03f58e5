import Type, { type TSchema } from "typebox";
import { listLimits, type listParameterNames, sortFields } from "./listing.ts";
import type { Parameter } from "./operation.ts";
import { Integer } from "./scalars.ts";

const list = listLimits;

export const SortOrder = Type.Enum(
  sortFields.flatMap((field) => [field, `-${field}` as const]),
  {
    type: "string",
    default: "id",
    description: "A field to sort by, with `-` in front for descending order.",
  },
);

const query = (
  name: (typeof listParameterNames)[number] | "filters",
  description: string,
  schema: TSchema,
  example?: Parameter["example"],
  component?: string,
): Parameter => ({
  in: "query",
  name,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
  ...(component && { component }),
});

/** Some words, without U+0000. */
const SEARCH_PATTERN = `^\\s*[^\\s\\u0000]+(\\s+[^\\s\\u0000]+){0,${list.searchWords - 1}}\\s*$`;

/** The query parameters of `GET /api/users`. */
export const listParameters: Parameter[] = [
  query(
    "limit",
    "The maximum number of users per page.",
    Integer({ minimum: 1, maximum: list.pageSize.maximum, default: list.pageSize.default }),
  ),
  query(
    "after",
    "An opaque cursor from the Link header of the previous page.",
    Type.String({ pattern: "^[A-Za-z0-9_.-]+$" }),
  ),
  query(
    "offset",
    "The number of users to skip, for page numbers. Without it, no user is skipped. Only 0 can be sent together with `after`.",
    Integer({ minimum: 0, maximum: list.offset }),
  ),
  query(
    "sort",
    "The field to sort by, with `-` in front for descending order. Ties are sorted by id in the same direction. Case and accents do not matter, and users without an email come last.",
    SortOrder,
    "-createdAt",
    "Sort",
  ),
  query(
    "q",
    `Finds users by words, at most ${list.searchWords}: each must occur in the name or the email, in any order, ignoring case and accents. A word of 1 or 2 characters matches only the start of the name, of a word in it, or of the email.`,
    Type.String({ minLength: 1, maxLength: list.searchCharacters, pattern: SEARCH_PATTERN }),
    "lovelace ada",
    "Search",
  ),
  query("count", "Adds X-Total-Count to the response.", Type.Boolean({ default: false })),
  {
    ...query(
      "filters",
      `Any other parameter filters by the field of that name, custom fields included. A repeated parameter matches any of its values (at most ${list.filterValues}). Filters on several fields (at most ${list.filterFields}) must all match. Names and emails are compared ignoring case, other fields by their exact text.`,
      Type.Object(
        {},
        {
          additionalProperties: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
        },
      ),
      { department: ["engines", "research"] },
    ),
    explode: true,
  },
];
