import Type, { type Static } from "typebox";
import { filterLimits } from "../listing.ts";
import { ProblemDocument } from "../problem-schemas.ts";
import { Id, Integer, withDefault } from "../scalars.ts";
import { UserPatch } from "../users/user-schemas.ts";
import {
  bulkFormats,
  bulkLimits,
  conflictActions,
  defaultGroupImportOptions,
  defaultImportOptions,
  groupMatchFields,
} from "./bulk.ts";

export const BulkFormat = Type.Enum([...bulkFormats], {
  type: "string",
  description: "A format of imports and exports.",
});
export const ConflictAction = withDefault(
  Type.Enum([...conflictActions], {
    type: "string",
    description: "What happens to a line whose record exists.",
  }),
  defaultImportOptions.onConflict,
);
export const GroupMatch = withDefault(
  Type.Enum([...groupMatchFields], {
    type: "string",
    description: "The field by which a line finds its group.",
  }),
  defaultGroupImportOptions.match,
);

/** The result of one line of an import. */
export const ImportLineResult = Type.Object(
  {
    line: Integer({ minimum: 1, description: "The line number in the request body, from 1." }),
    status: Integer({
      minimum: 200,
      maximum: 599,
      description:
        "201: the record was created. 200: the record existed, and was updated, unchanged or skipped. Otherwise the status of the problem.",
    }),
    id: Type.Optional(
      Integer({
        minimum: 1,
        description:
          "The record's id. Absent for a record that a dry run would create, and for a record that existed if the key must not read it.",
      }),
    ),
    problem: Type.Optional(ProblemDocument),
  },
  { description: "The result of one line." },
);
/** The body of a bulk change. */
export const BulkChangeInput = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: bulkLimits.ids,
        description: "The users to change.",
      }),
    ),
    filter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: filterLimits.characters,
        description:
          "A filter expression, as for lists. Changes every user that matches. Comparisons of groups need the scope `groups:read` too, and are not possible with `restore`.",
      }),
    ),
    patch: Type.Optional(UserPatch),
    // Not `const: true`: openapi-generator makes Java of it that does not compile.
    delete: Type.Optional(
      Type.Boolean({ not: { const: false }, description: "Must be true. Deletes the users." }),
    ),
    restore: Type.Optional(
      Type.Boolean({
        not: { const: false },
        description: "Must be true. Restores deleted users: `ids` and `filter` choose among these.",
      }),
    ),
    addToGroup: Type.Optional(
      Integer({ minimum: 1, description: "The id of a group. The users become its members." }),
    ),
    removeFromGroup: Type.Optional(
      Integer({ minimum: 1, description: "The id of a group. The users are not its members afterwards." }),
    ),
  },
  {
    description:
      "Either `ids` or `filter`, and one of `patch`, `delete`, `restore`, `addToGroup` and `removeFromGroup`.",
    additionalProperties: false,
  },
);

/** The result of a bulk change for one user. */
export const BulkResult = Type.Object(
  {
    id: Id,
    status: Integer({
      minimum: 200,
      maximum: 599,
      description:
        "200 if the user was updated or unchanged, 204 if it was deleted, or the status of the problem.",
    }),
    problem: Type.Optional(ProblemDocument),
  },
  { description: "The result for one user." },
);
export type BulkResult = Static<typeof BulkResult>;

export const BulkCount = Type.Object(
  { count: Integer({ minimum: 0, description: "The users that exist, or that match the filter." }) },
  { description: "What a bulk change would do." },
);

export type ImportLineResult = Static<typeof ImportLineResult>;
