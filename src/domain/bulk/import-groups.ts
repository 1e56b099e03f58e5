import { type GroupColumn, groupRecordFields } from "../../contract/groups/group-fields.ts";
import { groupCsvRules } from "../csv/columns.ts";
import type { GroupStore } from "../groups/group-store.ts";
import { ImportExport } from "./import-export.ts";
import type { ImportRunner } from "./import-runner.ts";
import { createRowReader } from "./row-reader.ts";

/** Imports and exports groups. */
export function importExportGroups(groups: GroupStore, runner: ImportRunner): ImportExport<GroupColumn> {
  return new ImportExport({
    store: groups,
    fields: groupRecordFields,
    runner,
    createRowReader: async (format, options) => createRowReader(format, groupCsvRules(options)),
    // The same lines for users are another request.
    variantOf: ({ onConflict, match }) => `\ngroups ${onConflict} ${match}`,
  });
}
