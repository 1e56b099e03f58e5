import { credentialFields, FIELD_NAME_PATTERN, managedFields, prototypeNames } from "../../contract/user.ts";
import { FieldErrors } from "../field-errors.ts";

/** The field of each column; undefined for one that is passed over. */
export type Columns = readonly (string | undefined)[];

const fieldName = new RegExp(FIELD_NAME_PATTERN);
const managed = new Set<string>(managedFields);
const refused = new Set<string>([...credentialFields, ...prototypeNames]);

/**
 * What the first row of a table names. Fields that only the service writes are passed over, as in any other body. Fails
 * with `invalid-user`.
 */
export function parseColumns(names: readonly string[]): Columns {
  const faults = new FieldErrors();
  const columns = lowerCoreFields(dropTrailingEmpty(names.map((name) => name.trim())));
  const seen = new Set<string>();
  for (const field of columns) {
    const pointer = `/${field.slice(0, 64)}`;
    if (seen.has(field)) faults.add(pointer, "Two columns have this name.");
    else if (refused.has(field)) faults.add(pointer, "This cannot be a field: leave the column out.");
    else if (!fieldName.test(field)) {
      faults.add(
        pointer,
        "A field's name is a letter, then up to 63 letters, digits or underscores: rename the column.",
      );
    }
    seen.add(field);
  }
  if (!seen.has("name")) faults.add("/name", "The first row names the fields, and one has to be name.");
  faults.throwIfAny("invalid-user");
  return columns.map((field) => (managed.has(field) ? undefined : field));
}

/** Spreadsheets leave empty columns behind. */
function dropTrailingEmpty(names: readonly string[]): readonly string[] {
  return names.slice(0, names.findLastIndex((name) => name !== "") + 1);
}

/** `Name` or `EMAIL`, as people write them, are the name and the email; beside a `name`, `Name` is a field of its own. */
function lowerCoreFields(names: readonly string[]): readonly string[] {
  const written = new Set(names);
  return names.map((name) => {
    const lower = name.toLowerCase();
    return (lower === "name" || lower === "email") && !written.has(lower) ? lower : name;
  });
}
