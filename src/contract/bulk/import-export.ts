import Type from "typebox";
import { rosterEvent, vary } from "../headers.ts";
import type { HeaderDescription, Parameter } from "../operation.ts";
import { BulkFormat } from "./bulk-schemas.ts";

/** The format of an import of any kind. */
export const importFormat = {
  in: "query",
  name: "format",
  description: "The format of the body, whatever its Content-Type is. By default, the Content-Type decides.",
  schema: BulkFormat,
  selects: "request",
  component: "ImportFormat",
} as const satisfies Parameter;

/** The format of an export of any kind. */
export const exportFormat = {
  in: "query",
  name: "format",
  description: "The format of the response, whatever the Accept header is. By default, Accept decides.",
  schema: BulkFormat,
  selects: "response",
  component: "ExportFormat",
} as const satisfies Parameter;

/** The headers of an export of any kind. */
export const exportHeaders = {
  "Content-Disposition": {
    description: "Browsers save the export as a file.",
    schema: Type.String({ pattern: "^attachment; filename=" }),
  },
  "Roster-Event": rosterEvent,
  Vary: vary,
} as const satisfies Record<string, HeaderDescription>;
