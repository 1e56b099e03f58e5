import { defaultImportOptions } from "../../../src/contract/bulk/bulk.ts";
import { userCsvRules } from "../../../src/domain/csv/columns.ts";
import { readCsvRows } from "../../../src/domain/csv/read.ts";
import type { Rows } from "./read-all.ts";

/** Reads CSV of an import of users with the default options. */
export const readUserCsv: Rows = (body, most) => readCsvRows(body, most, userCsvRules(defaultImportOptions));
