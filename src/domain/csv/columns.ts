import { type ImportOptions, MORE_COLUMN } from "../../contract/bulk/bulk.ts";
import {
  FIELD_NAME_PATTERN,
  isCredentialField,
  managedFields,
  prototypeNames,
} from "../../contract/users/user.ts";
import { FieldErrors } from "../field-errors.ts";

/** An export writes these columns before and after the custom fields. */
export const leadingColumns = ["id", "name", "email"] as const;
export const trailingColumns = ["version", "createdAt", "updatedAt"] as const;

/** Every field that is not a custom field. */
export const coreFields: ReadonlySet<string> = new Set([...leadingColumns, ...trailingColumns]);

/** The field of each column. An import skips the columns that are undefined. */
export type Columns = readonly (string | undefined)[];

const fieldName = new RegExp(FIELD_NAME_PATTERN);
const managed = new Set<string>(managedFields);
const forbidden = new Set<string>(prototypeNames);

/** More than any record can have. Checking their names takes a few milliseconds. */
const MAX_COLUMNS = 16_000;

/** Cells of these columns hold text only, never JSON. */
export function isTextColumn(field: string): boolean {
  return field === "name" || field === "email";
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
    if (seen.has(field)) errors.add(pointer, "Two columns have this name.");
    else if (forbidden.has(field) || isCredentialField(field))
      errors.add(pointer, "This field name is not allowed. Remove the column.");
    else if (field !== MORE_COLUMN && !fieldName.test(field)) {
      errors.add(
        pointer,
        "A field name is a letter, then up to 63 letters, digits or underscores. Rename the column.",
      );
    }
    seen.add(field);
  }
  const updates = onConflict === "update" && seen.has(match);
  if (!seen.has("name") && !updates) errors.add("/name", "The header row needs a name column.");
  errors.throwIfAny("invalid-user");
  return columns.map((field) => (managed.has(field) && field !== match ? undefined : field));
}

/** Spreadsheets write empty columns at the end. */
function dropTrailingEmpty(names: readonly string[]): readonly string[] {
  return names.slice(0, names.findLastIndex((name) => name !== "") + 1);
}

/** `Name` and `EMAIL` mean name and email, unless the header also has the lower-case column. */
function lowerTextColumns(names: readonly string[]): readonly string[] {
  const exactNames = new Set(names);
  return names.map((name) => {
    const lower = name.toLowerCase();
    return isTextColumn(lower) && !exactNames.has(lower) ? lower : name;
  });
}
