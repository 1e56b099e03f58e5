import Type from "typebox";
import { link, vary } from "../headers.ts";
import { type HeaderDescription, mediaTypes, type Operation, type Parameter } from "../operation.ts";
import { INVALID_CURSOR, limitParameter } from "../parameters.ts";
import type { ProblemType } from "../problems.ts";
import { Flag, Integer } from "../scalars.ts";
import { SCHEMA_DIALECT, schemaLimits } from "./schema.ts";
import { FieldsSchema, SchemaVersion, SchemaViolation } from "./schema-schemas.ts";

const path = "/api/schema";

const example = {
  $schema: SCHEMA_DIALECT,
  properties: {
    hired: { type: "string", format: "date", title: "First day" },
    badge: { type: "string", pattern: "^B-\\d{4}$", "x-unique": true },
    level: { type: "number", minimum: 1, maximum: 9 },
  },
};
const violation = { id: 7, errors: [{ pointer: "/level", detail: "Enter a number of at most 9." }] };
const check = { checked: 481, violating: 1, violations: [violation] };

const schemaEtag: HeaderDescription = {
  description:
    "The version in quotes. Send it as If-Match to change the schema only if it has not changed since.",
  schema: Type.String({ pattern: '^"(0|[1-9][0-9]*)"$' }),
  component: "Schema-ETag",
};

const ifMatch = {
  in: "header",
  name: "If-Match",
  description: "The ETag that you have read. Without it, the schema is replaced in any case.",
  schema: Type.String(),
  example: '"3"',
  component: "SchemaIfMatch",
} as const satisfies Parameter;
const ifNoneMatch = {
  in: "header",
  name: "If-None-Match",
  description: "An ETag that you have. If the schema is still the same, the response is 304.",
  schema: Type.String(),
  component: "SchemaIfNoneMatch",
} as const satisfies Parameter;
const limit = limitParameter("The maximum number of items per page.", { component: "PageLimit" });
const after = {
  in: "query",
  name: "after",
  description: "Where the page begins, from the `next` URL.",
  schema: Integer({ minimum: 1 }),
  correction: INVALID_CURSOR,
  component: "PageAfter",
} as const satisfies Parameter;

const bodyProblems: ProblemType[] = [
  "malformed-json",
  "request-timeout",
  "too-large",
  "unsupported-media-type",
  "invalid-schema",
];

/** Operations on the schema for custom fields. */
export const schemaOperations = {
  readSchema: {
    id: "readSchema",
    method: "GET",
    path,
    tag: "schema",
    access: [["users:read", "schema:manage"]],
    summary: "Read the schema",
    description:
      "Returns the schema for custom fields, as it was sent. Without a schema, the response is `{}`.",
    parameters: [ifNoneMatch],
    responses: {
      200: {
        description: "The schema.",
        headers: { ETag: schemaEtag },
        body: { type: mediaTypes.json, schema: FieldsSchema, examples: { schema: example, none: {} } },
      },
      304: { description: "The schema has not changed.", headers: { ETag: schemaEtag } },
    },
    problems: [],
  },
  replaceSchema: {
    id: "replaceSchema",
    method: "PUT",
    path,
    tag: "schema",
    access: ["schema:manage"],
    summary: "Replace the schema",
    description: `Stores a new version of the schema. Writes are checked from then on: for the custom fields whose value they change. Users that the schema does not allow stay, and are listed at \`${path}/violations\`. A field with \`x-unique\` must already be unique. With \`dryRun=true\`, nothing is stored: the response tells how many users the schema does not allow. As NDJSON, it also tells the progress. This needs the scope \`users:read\` too. Without this scope, the problem \`value-taken\` does not name users.`,
    parameters: [
      {
        in: "query",
        name: "dryRun",
        description: "Only check the schema, and all users.",
        schema: Flag,
        needs: { scope: "users:read", query: "dryRun=true" },
      },
      ifMatch,
    ],
    request: {
      types: [mediaTypes.json],
      schema: FieldsSchema,
      examples: { schema: example },
      invalid: "invalid-schema",
      // What it costs depends on its size.
      unread: true,
    },
    responses: {
      200: {
        description: "The stored schema; with `dryRun=true`, the result of the check.",
        headers: { ETag: { ...schemaEtag, optional: true, component: "Schema-ETag-Optional" }, Vary: vary },
        body: {
          type: mediaTypes.json,
          schema: FieldsSchema,
          examples: { schema: example, "dry run": check },
        },
        alternatives: [
          {
            type: mediaTypes.ndjson,
            schema: Type.String({
              description:
                "With `dryRun=true`: lines with `checked` and `total`, the numbers of users, and a last line with the result.",
            }),
            examples: { lines: `{"checked":0,"total":481}\n${JSON.stringify(check)}\n` },
          },
        ],
      },
    },
    problems: [...bodyProblems, "version-mismatch", "precondition-failed", "value-taken"],
    logged: true,
    // A new unique field, or a dry run, may take a minute with many users.
    takesLong: true,
  },
  deleteSchema: {
    id: "deleteSchema",
    method: "DELETE",
    path,
    tag: "schema",
    access: ["schema:manage"],
    summary: "Remove the schema",
    description: "Custom fields can have any values from then on. Earlier versions stay listed.",
    parameters: [ifMatch],
    responses: { 204: { description: "There is no schema any more." } },
    problems: ["version-mismatch", "precondition-failed"],
    logged: true,
    takesLong: true,
  },
  listSchemaVersions: {
    id: "listSchemaVersions",
    method: "GET",
    path: `${path}/versions`,
    tag: "schema",
    access: [["users:read", "schema:manage"]],
    summary: "List the versions of the schema",
    description:
      "Lists every version that was stored, newest first. A page has a limited size: it can be short and still have a next page.",
    parameters: [limit, after],
    list: ["next"],
    responses: {
      200: {
        description: "A page of versions.",
        headers: { Link: link, Vary: vary },
        body: {
          type: mediaTypes.json,
          schema: Type.Array(SchemaVersion),
          examples: {
            page: [{ version: 3, createdAt: "2026-11-15T09:30:00.000Z", schema: example }],
          },
        },
      },
    },
    problems: ["invalid-query"],
  },
  listSchemaViolations: {
    id: "listSchemaViolations",
    method: "GET",
    path: `${path}/violations`,
    tag: "schema",
    access: ["users:read"],
    summary: "List users that the schema does not allow",
    description: `Lists these users by id, with up to ${schemaLimits.errorsPerUser} errors each. A page does a limited amount of work: it can be short, even empty, and still have a next page.`,
    parameters: [limit, after],
    list: ["next"],
    responses: {
      200: {
        description: "A page of users.",
        headers: { Link: link, Vary: vary },
        body: { type: mediaTypes.json, schema: Type.Array(SchemaViolation), examples: { page: [violation] } },
      },
    },
    problems: ["invalid-query"],
  },
} as const satisfies Record<string, Operation>;
