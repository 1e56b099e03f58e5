import { matchFields } from "../../contract/bulk/bulk.ts";
import type { ColumnField } from "../../contract/users/user-fields.ts";
import { userCsvRules } from "../csv/columns.ts";
import { listFieldTypes, parseStoredSchema } from "../schema/parse-schema.ts";
import type { SchemaStore } from "../schema/schema-store.ts";
import type { UserStore } from "../users/user-store.ts";
import { ImportExport } from "./import-export.ts";
import type { ImportRunner } from "./import-runner.ts";
import { createRowReader } from "./row-reader.ts";

interface UserImportStores {
  readonly users: UserStore;
  readonly schema: SchemaStore;
}

/** Imports and exports users. */
export function importExportUsers(
  { users, schema }: UserImportStores,
  runner: ImportRunner,
): ImportExport<ColumnField> {
  return new ImportExport({
    store: users,
    runner,
    /** Reads the schema if the import needs it: users can be found by a field that is unique. */
    async createRowReader(format, options) {
      const { match } = options;
      const isCore = matchFields.some((field) => field === match);
      if (isCore && format === "ndjson") return createRowReader(format, userCsvRules(options));
      const { json } = await schema.current();
      const parsed = json === "{}" ? undefined : parseStoredSchema(json);
      if (!isCore && !parsed?.uniqueFields.includes(match)) return undefined;
      return createRowReader(format, userCsvRules(options, parsed && listFieldTypes(parsed)));
    },
    variantOf: ({ onConflict, match }) =>
      onConflict === "fail" && match === "email" ? "" : `\n${onConflict} ${match}`,
  });
}
