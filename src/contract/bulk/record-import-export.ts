import Type from "typebox";
import type { Scope } from "../keys/key.ts";
import { mediaTypes, type Operation, type Parameter, type ResponseDescription } from "../operation.ts";
import { type ProblemType, problemExample } from "../problems.ts";
import { Flag } from "../scalars.ts";
import { bulkLimits, MORE_COLUMN } from "./bulk.ts";
import { ConflictAction } from "./bulk-schemas.ts";
import { exportHeaders } from "./import-export.ts";

/** What an import does with records that exist. */
export const onConflict = {
  in: "query",
  name: "onConflict",
  description:
    "What happens to a line whose record exists. `fail`: the line gets a problem. `skip`: the record is left unchanged. `update`: the line is applied to the record as a JSON Merge Patch (RFC 7396).",
  schema: ConflictAction,
  component: "OnConflict",
} as const satisfies Parameter;

/** The problems of imports of users and of groups. */
export const importProblems: readonly ProblemType[] = [
  "malformed-json",
  "invalid-header",
  "request-timeout",
  "value-taken",
  "idempotency-in-flight",
  "too-large",
  "unsupported-media-type",
  "idempotency-mismatch",
];

/** What imports and exports say about records of one kind. */
interface ImportedRecords<ReadScope extends Scope> {
  /** One record: `user`. */
  readonly one: string;
  readonly readScope: ReadScope;
  readonly path: string;
  /** The records of an import, and what the file would be as CSV. */
  readonly lines: readonly Readonly<Record<string, string>>[];
  readonly table: string;
  /** The problem of a line whose record is taken. */
  readonly taken: "email-taken" | "value-taken";
  /** A record of an export, and the same as CSV. */
  readonly exported: Readonly<Record<string, unknown>>;
  readonly exportedTable: string;
}

/** What is the same in imports and exports of users and of groups. */
export function importExportOf<const ReadScope extends Scope>(records: ImportedRecords<ReadScope>) {
  const { one, readScope } = records;
  const One = one.replace(/^[a-z]/, (first) => first.toUpperCase());

  const dryRun = {
    in: "query",
    name: "dryRun",
    description: `Changes nothing. The results are those that the import would have now, without the ids of new ${one}s. With \`onConflict=update\`, this needs the scope \`${readScope}\` too.`,
    schema: Flag,
    // Its results depend on what is stored, and it leaves no trace.
    needs: { scope: readScope, query: "dryRun=true&onConflict=update" },
  } as const satisfies Parameter;

  const body = {
    types: [mediaTypes.ndjson],
    schema: Type.String({ description: `One ${one} per line, as JSON.` }),
    examples: { lines: records.lines.map((line) => `${JSON.stringify(line)}\n`).join("") },
    alternatives: [
      {
        type: mediaTypes.csv,
        schema: Type.String({
          description: `One ${one} per row. The first row names the fields. The column \`${MORE_COLUMN}\` can have further fields as a JSON object.`,
        }),
        examples: { table: records.table },
      },
    ],
    unread: true,
  } as const satisfies Partial<NonNullable<Operation["request"]>>;

  const results = {
    description: "The result of each line, in order, streamed while the request body arrives.",
    body: {
      type: mediaTypes.ndjson,
      schema: Type.String({
        description: `A JSON object for each line of the request: \`line\`, \`status\`, and \`id\` or \`problem\`. The status is 201 if the ${one} was created, and 200 if the ${one} existed and was updated, unchanged or skipped. A key without the scope \`${readScope}\` gets the ids of created ${one}s only.`,
      }),
      examples: {
        lines: `${JSON.stringify({ line: 1, status: 201, id: 1 })}\n${JSON.stringify({ line: 2, status: 409, problem: problemExample(records.taken, records.path) })}\n`,
      },
    },
  } as const satisfies ResponseDescription;

  const exported = {
    description: `The ${one}s, streamed.`,
    headers: exportHeaders,
    body: {
      type: mediaTypes.ndjson,
      schema: Type.String({ description: `Every matching ${one}, one JSON object per line.` }),
      examples: { line: `${JSON.stringify(records.exported)}\n` },
    },
    alternatives: [
      {
        type: mediaTypes.csv,
        schema: Type.String({
          description: `Every matching ${one}, one row each. With \`fields\`, these are the columns, in this order. Otherwise, if the ${one}s have more than ${bulkLimits.csvFields} custom fields, the column \`${MORE_COLUMN}\` has the rarest ones as a JSON object.`,
        }),
        examples: { table: records.exportedTable },
      },
    ],
  } as const satisfies ResponseDescription;

  const importText = `Creates a ${one} for each line of the body, or updates the ${one} that the line matches. The response streams a result for each line while the body arrives. A line with an error does not stop the others. With an \`Idempotency-Key\`, you can repeat an interrupted import as a whole. The body can be compressed, with \`Content-Encoding: gzip\` or \`zstd\`.`;
  const exportText = `Streams every ${one} that matches, without pages. ${One}s that exist during the whole export appear exactly once.`;
  return { dryRun, body, results, exported, importText, exportText };
}
