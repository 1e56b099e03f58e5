import Type from "typebox";
import { exportFormat, exportHeaders, importFormat } from "../bulk/import-export.ts";
import { GROUP_PARAMETER, listLimits } from "../listing.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { idempotencyKey } from "../parameters.ts";
import { problemExample } from "../problems.ts";
import { Flag, Id } from "../scalars.ts";

const importPath = "/api/memberships/import";

const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Operations on the members of many groups. */
export const membershipOperations = {
  importMemberships: {
    id: "importMemberships",
    method: "POST",
    path: importPath,
    tag: "groups",
    // The results tell which users there are.
    access: ["groups:write", "users:read"],
    summary: "Import memberships",
    description:
      "Makes a user a member of a group for each line of the body. The response streams a result for each line while the body arrives. A line with an error does not stop the others. A line whose user is a member already changes nothing, so an import can be repeated. With an `Idempotency-Key`, a repeated import also gets the same results. The body can be compressed, with `Content-Encoding: gzip` or `zstd`.",
    parameters: [
      importFormat,
      {
        in: "query",
        name: "remove",
        description: "Removes the memberships instead of adding them.",
        schema: Flag,
      },
      {
        in: "query",
        name: "dryRun",
        description:
          "Changes nothing. The results are those that the import would have now. They tell who is a member, so this needs the scope `groups:read` too.",
        schema: Flag,
        needs: { scope: "groups:read", query: "dryRun=true" },
      },
      idempotencyKey,
    ],
    request: {
      types: [mediaTypes.ndjson],
      schema: Type.String({
        description:
          "A JSON object per line, with `group` and `user`. A number is an id. Text is the name of a group; of a user, it is the user name or, if no user has this user name, the email.",
      }),
      examples: { lines: lines({ group: 1, user: 1 }, { group: "Sales", user: "ada@example.com" }) },
      alternatives: [
        {
          type: mediaTypes.csv,
          schema: Type.String({
            description:
              "A membership per row. The first row names the columns `group` and `user`. A cell of only digits is an id. An apostrophe in front of digits makes text of them.",
          }),
          examples: { table: "group,user\r\nSales,ada@example.com\r\n" },
        },
      ],
      invalid: "invalid-group",
      unread: true,
    },
    responses: {
      200: {
        description: "The result of each line, in order, streamed while the request body arrives.",
        body: {
          type: mediaTypes.ndjson,
          schema: Type.String({
            description:
              "A JSON object for each line of the request: `line`, `status`, and `problem` if there is one. The status is 201 if the user became a member, and 200 if it was a member before. With `remove=true`, it is always 200.",
          }),
          examples: {
            lines: lines(
              { line: 1, status: 201 },
              { line: 2, status: 404, problem: problemExample("group-not-found", importPath) },
            ),
          },
        },
      },
    },
    // Some clients accept only JSON by default. They get NDJSON, which is JSON line by line.
    alsoAccepts: [mediaTypes.json],
    problems: [
      "malformed-json",
      "invalid-header",
      "user-not-found",
      "group-not-found",
      "request-timeout",
      "idempotency-in-flight",
      "too-large",
      "unsupported-media-type",
      "invalid-group",
      "idempotency-mismatch",
    ],
  },
  exportMemberships: {
    id: "exportMemberships",
    method: "GET",
    path: "/api/memberships/export",
    tag: "groups",
    access: ["groups:read", "users:read"],
    summary: "Export memberships",
    description:
      "Streams every membership, in the order of groups and users, without pages. Memberships that exist during the whole export appear exactly once. `POST /api/memberships/import` reads them again.",
    parameters: [
      {
        in: "query",
        name: GROUP_PARAMETER,
        description: `Only the members of the group with this id. Repeat the parameter for several groups (at most ${listLimits.filterValues}). A group that does not exist has no members.`,
        schema: Type.Array(Id, { maxItems: listLimits.filterValues }),
      },
      {
        in: "query",
        name: "names",
        description:
          "The name of the group and the user name of the user instead of their ids, for an import into another service. A user without a user name appears with its id.",
        schema: Flag,
      },
      exportFormat,
    ],
    responses: {
      200: {
        description: "The memberships, streamed.",
        headers: exportHeaders,
        body: {
          type: mediaTypes.ndjson,
          schema: Type.String({ description: "A JSON object with `group` and `user` per line." }),
          examples: { lines: lines({ group: 1, user: 1 }) },
        },
        alternatives: [
          {
            type: mediaTypes.csv,
            schema: Type.String({
              description:
                "The columns `group` and `user`. Names that are only digits have an apostrophe in front.",
            }),
            examples: { table: "group,user\r\n1,1\r\n" },
          },
        ],
      },
    },
    problems: [],
  },
} as const satisfies Record<string, Operation>;
