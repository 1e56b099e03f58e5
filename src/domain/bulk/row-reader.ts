import { type BulkFormat, type ImportOptions, matchFields } from "../../contract/bulk/bulk.ts";
import { readCsvRows } from "../csv/read.ts";
import { listFieldTypes, parseStoredSchema } from "../schema/parse-schema.ts";
import type { SchemaStore } from "../schema/schema-store.ts";
import type { Row } from "./imports.ts";
import { readNdjsonRows } from "./ndjson-rows.ts";

/** Splits the body of an import into rows. */
export type RowReader = (body: AsyncIterable<Uint8Array>) => AsyncGenerator<Row[], void>;

/** Reads the schema if the import needs it. Returns undefined if `match` is not a unique field: users cannot be found by it. */
export async function createRowReader(
  schemas: SchemaStore,
  format: BulkFormat,
  options: ImportOptions,
  maxRowBytes: number,
): Promise<RowReader | undefined> {
  const { match } = options;
  const readNdjson: RowReader = (body) => readNdjsonRows(body, maxRowBytes);
  const isCore = matchFields.some((field) => field === match);
  if (isCore && format === "ndjson") return readNdjson;
  const { json } = await schemas.current();
  const schema = json === "{}" ? undefined : parseStoredSchema(json);
  if (!isCore && !schema?.uniqueFields.includes(match)) return undefined;
  if (format === "ndjson") return readNdjson;
  return (body) => readCsvRows(body, maxRowBytes, options, schema && listFieldTypes(schema));
}
