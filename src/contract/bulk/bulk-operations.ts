import Type from "typebox";
import { rosterEvent, vary } from "../headers.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { idempotencyKey } from "../parameters.ts";
import { problemExample } from "../problems.ts";
import { Flag, withDefault } from "../scalars.ts";
import { FIELD_NAME_PATTERN } from "../users/field-name.ts";
import { userListParameters } from "../users/list-parameters.ts";
import { ada, adaInput } from "../users/user-operations.ts";
import { bulkLimits, defaultImportOptions, INVALID_MATCH, MORE_COLUMN } from "./bulk.ts";
import { BulkChangeInput, BulkCount, BulkFormat, ConflictAction } from "./bulk-schemas.ts";

const { fields, filter, filters, group, search, sort } = userListParameters;

const format = <const Selected extends "request" | "response">(selects: Selected, description: string) => ({
  in: "query" as const,
  name: "format" as const,
  description,
  schema: BulkFormat,
  selects,
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
    description:
      "Creates a user for each line of the body, or updates the user that the line matches. The response streams a result for each line while the body arrives. A line with an error does not stop the others. With an `Idempotency-Key`, you can repeat an interrupted import as a whole. The body can be compressed, with `Content-Encoding: gzip` or `zstd`.",
    parameters: [
      format(
        "request",
        "The format of the body, whatever its Content-Type is. By default, the Content-Type decides.",
      ),
      {
        in: "query",
        name: "onConflict",
        description:
          "What happens to a line whose user exists. `fail`: the line gets a problem. `skip`: the user is left unchanged. `update`: the line is applied to the user as a JSON Merge Patch (RFC 7396).",
        schema: ConflictAction,
      },
      {
        in: "query",
        name: "match",
        description:
          "The field by which a line finds its user: `email`, `userName`, `id`, or a custom field that is unique in the schema. With `userName`, a line without one finds the user by its email. With `id`, a line without an id creates a user, and an unknown id is a problem.",
        schema: withDefault(Type.String({ pattern: FIELD_NAME_PATTERN }), defaultImportOptions.match),
        correction: INVALID_MATCH,
      },
      {
        in: "query",
        name: "dryRun",
        description:
          "Changes nothing. The results are those that the import would have now, without the ids of new users. With `onConflict=update`, this needs the scope `users:read` too.",
        schema: Flag,
        // Its results depend on what is stored, and it leaves no trace.
        needs: { scope: "users:read", query: "dryRun=true&onConflict=update" },
      },
      idempotencyKey,
    ],
    request: {
      types: [mediaTypes.ndjson],
      schema: Type.String({ description: "One user per line, as JSON." }),
      examples: { lines: `${JSON.stringify(adaInput)}\n{"name":"Grace Hopper"}\n` },
      alternatives: [
        {
          type: mediaTypes.csv,
          schema: Type.String({
            description: `One user per row. The first row names the fields. The column \`${MORE_COLUMN}\` can have further fields as a JSON object.`,
          }),
          examples: { table: "name,email,department\r\nAda Lovelace,ada@example.com,engines\r\n" },
        },
      ],
      invalid: "invalid-user",
      unread: true,
    },
    responses: {
      200: {
        description: "The result of each line, in order, streamed while the request body arrives.",
        body: {
          type: mediaTypes.ndjson,
          schema: Type.String({
            description:
              "A JSON object for each line of the request: `line`, `status`, and `id` or `problem`. The status is 201 if the user was created, and 200 if the user existed and was updated, unchanged or skipped. A key without the scope `users:read` gets the ids of created users only.",
          }),
          examples: {
            lines: `${JSON.stringify({ line: 1, status: 201, id: 1 })}\n${JSON.stringify({ line: 2, status: 409, problem: problemExample("email-taken", "/api/users/import") })}\n`,
          },
        },
      },
    },
    // Some clients accept only JSON by default. They get NDJSON, which is JSON line by line.
    alsoAccepts: [mediaTypes.json],
    problems: [
      "malformed-json",
      "invalid-header",
      "request-timeout",
      "email-taken",
      "value-taken",
      "idempotency-in-flight",
      "too-large",
      "unsupported-media-type",
      "invalid-user",
      "idempotency-mismatch",
    ],
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
    description:
      "Streams every user that matches, without pages. Users that exist during the whole export appear exactly once.",
    parameters: [
      sort,
      search,
      filter,
      fields,
      group,
      filters,
      format(
        "response",
        "The format of the response, whatever the Accept header is. By default, Accept decides.",
      ),
    ],
    responses: {
      200: {
        description: "The users, streamed.",
        headers: {
          "Content-Disposition": {
            description: "Browsers save the export as a file.",
            schema: Type.String({ pattern: "^attachment; filename=" }),
          },
          "Roster-Event": rosterEvent,
          Vary: vary,
        },
        body: {
          type: mediaTypes.ndjson,
          schema: Type.String({ description: "Every matching user, one JSON object per line." }),
          examples: { line: `${JSON.stringify(ada)}\n` },
        },
        alternatives: [
          {
            type: mediaTypes.csv,
            schema: Type.String({
              description: `Every matching user, one row each. With \`fields\`, these are the columns, in this order. Otherwise, if the users have more than ${bulkLimits.csvFields} custom fields, the column \`${MORE_COLUMN}\` has the rarest ones as a JSON object.`,
            }),
            examples: {
              table: `id,name,email,department,version,createdAt,updatedAt\r\n1,Ada Lovelace,ada@example.com,engines,1,${ada.createdAt},${ada.updatedAt}\r\n`,
            },
          },
        ],
      },
    },
    problems: ["invalid-query"],
    // Before the first row, CSV reads all users to find their columns.
    takesLong: true,
  },
} as const satisfies Record<string, Operation>;
