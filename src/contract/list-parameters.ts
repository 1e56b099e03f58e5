import Type, { type TSchema } from "typebox";
import { listLimits, type listParameterNames, sortFields } from "./listing.ts";
import type { Parameter } from "./operation.ts";

const list = listLimits;
const query = (
  name: (typeof listParameterNames)[number] | "filters",
  description: string,
  schema: TSchema,
  example?: Parameter["example"],
): Parameter => ({
  in: "query",
  name,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

/** What a list can be asked for. */
export const listParameters: Parameter[] = [
  query(
    "limit",
    "How many users a page holds.",
    Type.Integer({ minimum: 1, maximum: list.pageSize.maximum, default: list.pageSize.default }),
  ),
  query(
    "after",
    "Go on from here: an opaque cursor, taken from the Link header of the page before.",
    Type.String({ minLength: 1 }),
  ),
  query(
    "offset",
    "How many users to pass over, for page numbers. Not together with `after`.",
    Type.Integer({ minimum: 0, maximum: list.offset, default: 0 }),
  ),
  query(
    "sort",
    "The order: a field, with `-` before it for descending. Ties go by id in the same direction. Text sorts without regard to case or accents; users without an email come last.",
    Type.String({ enum: sortFields.flatMap((field) => [field, `-${field}`]), default: "id" }),
    "-createdAt",
  ),
  query(
    "q",
    "Finds users whose name or email contains this text, without regard to case or accents. Shorter than 3 characters, it matches where the name, a word of it, or the email begins.",
    Type.String({ minLength: 1, maxLength: list.searchCharacters }),
    "ada",
  ),
  query("count", "Adds X-Total-Count to the answer.", Type.Boolean({ default: false })),
  {
    ...query(
      "filters",
      `Any other parameter is an equality filter on the field of that name, core or the caller's own. Repeated: any of the values (at most ${list.filterValues}). Several fields (at most ${list.filterFields}): all of them. Name and email compare without regard to case, other fields by their exact text form.`,
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
