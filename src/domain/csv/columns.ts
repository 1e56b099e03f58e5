import { fieldsOfMatch, type ImportOptions, MORE_COLUMN } from "../../contract/bulk/bulk.ts";
import { dropTrailingEmpty } from "../../contract/bulk/csv.ts";
import { groupRecordFields, reservedGroupFields } from "../../contract/groups/group-fields.ts";
import type { Json } from "../../contract/json.ts";
import type { ProblemType } from "../../contract/problems.ts";
import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import { findNameError } from "../../contract/users/field-name.ts";
import { userRecordFields } from "../../contract/users/user-fields.ts";
import { FieldErrors } from "../field-errors.ts";
import type { FieldTypes } from "./cells.ts";

/** The columns that an export writes before and after the fields that are stored as custom fields. */
export function columnsAroundOthers({ columns, writtenColumns }: FieldsOfRecord) {
  const leading: readonly string[] = ["id", ...writtenColumns];
  return { leading, trailing: columns.filter((field) => !leading.includes(field)) };
}

/** The columns of an export. `others` are the fields that are stored as custom fields, in their order. */
export function exportColumns(fields: FieldsOfRecord, others: readonly string[]): string[] {
  const { leading, trailing } = columnsAroundOthers(fields);
  return [...leading, ...others, ...trailing];
}

/** How an import reads CSV of one kind. */
export interface CsvRules {
  /** The problem of a header or a row that has another form. */
  readonly invalid: ProblemType;
  /** The header row needs one column of each list. A problem names the first one. */
  readonly required: readonly (readonly [string, ...string[]])[];
  /** What is wrong with a column of this name. */
  findColumnError(name: string): string | undefined;
  /** Whether cells of the column hold text only, never JSON. */
  isText(name: string): boolean;
  /** The value of a cell of such a column, if that can be something else than its text. */
  readText?(cell: string): Json;
  /** Whether the import skips the column. */
  isSkipped(name: string): boolean;
  /** The types of other columns, as far as they are known. */
  readonly types?: FieldTypes | undefined;
}

/** The field of each column. An import skips the columns that are undefined. */
export type Columns = readonly (string | undefined)[];

/** More than any record can have. Checking their names takes a few milliseconds. */
const MAX_COLUMNS = 16_000;

const NOT_ALLOWED = "This field name is not allowed. Remove the column.";
const nameErrors = {
  credential: NOT_ALLOWED,
  reserved: NOT_ALLOWED,
  groups: NOT_ALLOWED,
  misnamed: "A field name is a letter, then up to 63 letters, digits or underscores. Rename the column.",
} as const;

/** What CSV needs to know about records of one kind. */
interface CsvRecords {
  readonly invalid: ProblemType;
  readonly fields: FieldsOfRecord;
  /** Names that columns cannot have, with the reasons, besides those that no record can have. */
  readonly forbidden: Readonly<Record<string, string>>;
}

const users: CsvRecords = {
  invalid: "invalid-user",
  fields: userRecordFields,
  forbidden: { groups: "A user has no field groups. Rename the column, for example to groupNames." },
};
const groups: CsvRecords = {
  invalid: "invalid-group",
  fields: groupRecordFields,
  forbidden: Object.fromEntries(
    [...reservedGroupFields, "groups"].map((name) => [
      name,
      `A group has no field ${name}. Rename the column.`,
    ]),
  ),
};

/** `types` are those of the schema. */
export function userCsvRules(options: ImportOptions, types?: FieldTypes): CsvRules {
  return { ...csvRulesOf(users, options), types };
}

export function groupCsvRules(options: ImportOptions): CsvRules {
  return csvRulesOf(groups, options);
}

/** Skips columns that only the service writes, except the id if it matches records. */
function csvRulesOf(
  { invalid, fields, forbidden }: CsvRecords,
  { onConflict, match }: ImportOptions,
): CsvRules {
  return {
    invalid,
    required: [onConflict === "update" ? ["name", ...fieldsOfMatch(match)] : ["name"]],
    findColumnError(name) {
      if (name === MORE_COLUMN) return undefined;
      if (Object.hasOwn(forbidden, name)) return forbidden[name];
      const error = findNameError(name);
      return error && nameErrors[error];
    },
    isText: (name) => fields.isText(name),
    isSkipped: (name) => fields.isManaged(name) && name !== match,
  };
}

/** Reads the header row. Fails with the problem of the rules. */
export function parseColumns(header: readonly string[], rules: CsvRules): Columns {
  const errors = new FieldErrors();
  if (header.length > MAX_COLUMNS) {
    errors.add("", `The header row has ${header.length} columns. At most ${MAX_COLUMNS} are allowed.`);
    errors.throwIfAny(rules.invalid);
  }
  const columns = lowerTextColumns(dropTrailingEmpty(header.map((name) => name.trim())), rules);
  const seen = new Set<string>();
  for (const field of columns) {
    const pointer = `/${field.slice(0, 64)}`;
    const error = rules.findColumnError(field);
    if (seen.has(field)) errors.add(pointer, "Two columns have this name.");
    else if (error !== undefined) errors.add(pointer, error);
    seen.add(field);
  }
  for (const names of rules.required) {
    const [first] = names;
    if (!names.some((name) => seen.has(name)))
      errors.add(`/${first}`, `The header row needs a ${first} column.`);
  }
  errors.throwIfAny(rules.invalid);
  return columns.map((field) => (rules.isSkipped(field) ? undefined : field));
}

/** `Name` and `EMAIL` mean name and email, unless the header also has the lower-case column. */
function lowerTextColumns(names: readonly string[], { isText }: CsvRules): readonly string[] {
  const exactNames = new Set(names);
  return names.map((name) => {
    const lower = name.toLowerCase();
    return isText(lower) && !exactNames.has(lower) ? lower : name;
  });
}
