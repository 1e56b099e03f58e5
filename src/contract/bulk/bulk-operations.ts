import Type from "typebox";
import { mediaTypes, type Operation } from "../operation.ts";
import { idempotencyKey } from "../parameters.ts";
import { problemExample } from "../problems.ts";
import { Flag, withDefault } from "../scalars.ts";
import { FIELD_NAME_PATTERN } from "../users/field-name.ts";
import { userListParameters } from "../users/list-parameters.ts";
import { ada, adaInput } from "../users/user-operations.ts";
import { defaultImportOptions, INVALID_MATCH } from "./bulk.ts";
import { BulkChangeInput, BulkCount } from "./bulk-schemas.ts";
import { exportFormat, importFormat } from "./import-export.ts";
import { importExportOf, importProblems, onConflict } from "./record-import-export.ts";

const { fields, filter, filters, group, search, sort } = userListParameters;

const users = importExportOf({
  one: "user",
  readScope: "users:read",
  path: "/api/users/import",
  lines: [adaInput, { name: "Grace Hopper" }],
  table: "name,email,department\r\nAda Lovelace,ada@example.com,engines\r\n",
  taken: "email-taken",
  exported: ada,
  exportedTable: `id,name,email,department,version,createdAt,updatedAt\r\n1,Ada Lovelace,ada@example.com,engines,1,${ada.createdAt},${ada.updatedAt}\r\n`,
});

/** Operations on many users. */
export const bulkOperations = {
  importUsers: {
    id: "importUsers",
    method: "POST",
    path: "/api/users/import",
    tag: "users",
    access: ["users:write"],
    summary: "Import users",
    description: users.importText,
    parameters: [
      importFormat,
      onConflict,
      {
        in: "query",
        name: "match",
        description:
          "The field by which a line finds its user: `email`, `userName`, `id`, or a custom field that is unique in the schema. With `userName`, a line without one finds the user by its email. With `id`, a line without an id creates a user, and an unknown id is a problem.",
        schema: withDefault(Type.String({ pattern: FIELD_NAME_PATTERN }), defaultImportOptions.match),
        correction: INVALID_MATCH,
      },
      users.dryRun,
      idempotencyKey,
    ],
    request: { ...users.body, invalid: "invalid-user" },
    responses: { 200: users.results },
    // Some clients accept only JSON by default. They get NDJSON, which is JSON line by line.
    alsoAccepts: [mediaTypes.json],
    problems: [...importProblems, "email-taken", "invalid-user"],
  },
  bulkUsers: {
    id: "bulkUsers",
    method: "POST",
    path: "/api/users/bulk",
    tag: "users",
    access: ["users:write"],
    summary: "Change many users",
    description:
      "Applies one change to every user in `ids`, or to every user that matches `filter`: a JSON Merge Patch (RFC 7396), a delete, the restore of deleted users, or a membership of a group. A filter needs the scope `users:read` too, and `groups:read` if it compares groups; a change of a group needs `groups:write` and `users:read`. The response streams a result for each user, in the order of `ids`, or by id. A user that cannot be changed does not stop the others. With an `Idempotency-Key`, you can repeat an interrupted request as a whole.",
    parameters: [
      {
        in: "query",
        name: "dryRun",
        description: "Changes nothing, and returns the number of users that exist, or that match the filter.",
        schema: Flag,
      },
      idempotencyKey,
    ],
    request: {
      types: [mediaTypes.json],
      schema: BulkChangeInput,
      examples: {
        patch: { ids: [1, 2], patch: { department: "research" } },
        delete: { ids: [1, 2], delete: true },
        restore: { ids: [1, 2], restore: true },
        addToGroup: { ids: [1, 2], addToGroup: 1 },
        removeFromGroup: { ids: [1, 2], removeFromGroup: 1 },
        filter: { filter: 'department eq "sales"', patch: { department: "research" } },
      },
      invalid: "invalid-bulk",
      unread: true,
      // The results tell which users match, and which exist.
      members: {
        filter: { scopes: ["users:read"] },
        addToGroup: { scopes: ["groups:write", "users:read"] },
        removeFromGroup: { scopes: ["groups:write", "users:read"] },
      },
    },
    responses: {
      200: {
        description:
          "The result of each user, in the order of `ids`, or by id with `filter`, streamed. With `dryRun=true`, the count.",
        body: {
          type: mediaTypes.ndjson,
          schema: Type.String({
            description:
              "A JSON object for each user: `id`, `status`, and `problem` if the user was not changed.",
          }),
          examples: {
            lines: `${JSON.stringify({ id: 1, status: 200 })}\n${JSON.stringify({ id: 2, status: 404, problem: problemExample("user-not-found", "/api/users/bulk") })}\n`,
          },
        },
        alternatives: [{ type: mediaTypes.json, schema: BulkCount, examples: { count: { count: 2 } } }],
      },
    },
    problems: [
      "malformed-json",
      "invalid-header",
      "request-timeout",
      "group-not-found",
      "idempotency-in-flight",
      "too-large",
      "unsupported-media-type",
      "invalid-bulk",
      "idempotency-mismatch",
    ],
    // With a filter, the first result, or the count, may need a look at every user.
    takesLong: true,
  },
  exportUsers: {
    id: "exportUsers",
    method: "GET",
    path: "/api/users/export",
    tag: "users",
    access: ["users:read"],
    summary: "Export users",
    description: users.exportText,
    parameters: [sort, search, filter, fields, group, filters, exportFormat],
    responses: { 200: users.exported },
    problems: ["invalid-query"],
    // Before the first row, CSV reads all users to find their columns.
    takesLong: true,
  },
} as const satisfies Record<string, Operation>;
