import { GroupMatch } from "../bulk/bulk-schemas.ts";
import { exportFormat, importFormat } from "../bulk/import-export.ts";
import { importExportOf, importProblems, onConflict } from "../bulk/record-import-export.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { idempotencyKey } from "../parameters.ts";
import { sales, salesInput } from "./group-operations.ts";
import { groupListParameters } from "./list-parameters.ts";

const { fields, filter, filters, search, sort } = groupListParameters;

const groups = importExportOf({
  one: "group",
  readScope: "groups:read",
  path: "/api/groups/import",
  lines: [salesInput, { name: "Support" }],
  table: "name,region\r\nSales,north\r\n",
  taken: "value-taken",
  exported: sales,
  exportedTable: `id,name,region,memberCount,version,createdAt,updatedAt\r\n1,Sales,north,0,1,${sales.createdAt},${sales.updatedAt}\r\n`,
});

/** Imports and exports of groups. */
export const groupImportOperations = {
  importGroups: {
    id: "importGroups",
    method: "POST",
    path: "/api/groups/import",
    tag: "groups",
    access: ["groups:write"],
    summary: "Import groups",
    description: groups.importText,
    parameters: [
      importFormat,
      onConflict,
      {
        in: "query",
        name: "match",
        description:
          "The field by which a line finds its group: `name` or `id`. With `id`, a line without an id creates a group, and an unknown id is a problem.",
        schema: GroupMatch,
      },
      groups.dryRun,
      idempotencyKey,
    ],
    request: { ...groups.body, invalid: "invalid-group" },
    responses: { 200: groups.results },
    // As for users.
    alsoAccepts: [mediaTypes.json],
    problems: [...importProblems, "invalid-group"],
  },
  exportGroups: {
    id: "exportGroups",
    method: "GET",
    path: "/api/groups/export",
    tag: "groups",
    access: ["groups:read"],
    summary: "Export groups",
    description: groups.exportText,
    parameters: [sort, search, filter, fields, filters, exportFormat],
    responses: { 200: groups.exported },
    problems: ["invalid-query"],
    // As for users.
    takesLong: true,
  },
} as const satisfies Record<string, Operation>;
