import { fieldsOfMatch, type ImportOptions, MORE_COLUMN } from "../../contract/bulk/bulk.ts";
import { dropTrailingEmpty } from "../../contract/bulk/csv.ts";
import { findNameError } from "../../contract/users/field-name.ts";
import { columnFields, fieldType, isManagedField } from "../../contract/users/user-fields.ts";
import { FieldErrors } from "../field-errors.ts";

/** An export writes these columns before and after the others. */
const leadingColumns: readonly string[] = ["id", "name", "email"];
const trailingColumns = columnFields.filter((field) => !leadingColumns.includes(field));

/** The columns of an export. `others` are the fields that are stored as custom fields, in their order. */
export function exportColumns(others: readonly string[]): string[] {
  return [...leadingColumns, ...others, ...trailingColumns];
}

/** The field of each column. An import skips the columns that are undefined. */
export type Columns = readonly (string | undefined)[];

/** More than any record can have. Checking their names takes a few milliseconds. */
const MAX_COLUMNS = 16_000;

const NOT_ALLOWED = "This field name is not allowed. Remove the column.";
const nameErrors = {
  credential: NOT_ALLOWED,
  reserved: NOT_ALLOWED,
  groups: "A user has no field groups. Rename the column, for example to groupNames.",
  misnamed: "A field name is a letter, then up to 63 letters, digits or underscores. Rename the column.",
} as const;

/** Cells of these columns hold text only, never JSON. */
export function isTextColumn(field: string): boolean {
  return fieldType(field) === "text";
}

/**
 * Reads the header row. Skips columns that only the service writes, except the id if it matches users. Fails with
 * `invalid-user`.
 */
export function parseColumns(header: readonly string[], { onConflict, match }: ImportOptions): Columns {
  const errors = new FieldErrors();
  if (header.length > MAX_COLUMNS) {
    errors.add("", `The header row has ${header.length} columns. At most ${MAX_COLUMNS} are allowed.`);
    errors.throwIfAny("invalid-user");
  }
  const columns = lowerTextColumns(dropTrailingEmpty(header.map((name) => name.trim())));
  const seen = new Set<string>();
  for (const field of columns) {
    const pointer = `/${field.slice(0, 64)}`;
    const error = field === MORE_COLUMN ? undefined : findNameError(field);
    if (seen.has(field)) errors.add(pointer, "Two columns have this name.");
    else if (error) errors.add(pointer, nameErrors[error]);
    seen.add(field);
  }
  const updates = onConflict === "update" && fieldsOfMatch(match).some((field) => seen.has(field));
  if (!seen.has("name") && !updates) errors.add("/name", "The header row needs a name column.");
  errors.throwIfAny("invalid-user");
  return columns.map((field) => (isManagedField(field) && field !== match ? undefined : field));
}

/** `Name` and `EMAIL` mean name and email, unless the header also has the lower-case column. */
function lowerTextColumns(names: readonly string[]): readonly string[] {
  const exactNames = new Set(names);
  return names.map((name) => {
    const lower = name.toLowerCase();
    return isTextColumn(lower) && !exactNames.has(lower) ? lower : name;
  });
}
