export const schema = {
  title: "Schema",
  lead: "Which custom fields users can have, and which values.",
  version: (version: string) => `Version ${version}`,
  form: "Show the schema as",
  forms: { fields: "Fields", json: "JSON" },
  save: "Check and save",
  saveUnchecked: "Save",
  discard: "Discard changes",
  remove: "Delete schema",
  readOnly: "Read-only. To change the schema, sign in with a key that has the scope schema:manage.",
  unsaved: "You have changes that are not saved.",
  empty: {
    title: "No schema yet",
    text: "Custom fields can have any values. With a schema, Roster rejects values that you don't allow.",
    fromUsers: "Start from your users",
    blank: "Start empty",
    readOnly:
      "Custom fields can have any values. To create a schema, sign in with a key that has the scope schema:manage.",
  },
  fields: {
    list: "Fields",
    none: "No fields yet. Add the first one.",
    add: "Add field",
    name: "Field",
    type: "Type",
    description: "Description",
    allowed: "Allowed values",
    allowedHint: "All values, or one per line",
    required: "Required",
    unique: "Unique",
    uniqueHint: "No two users can have the same value.",
    remove: (name: string) => (name === "" ? "Remove unnamed field" : `Remove ${name}`),
    group: (name: string) => (name === "" ? "New field" : name),
    also: (keywords: string) => `Also has ${keywords}. Edit it as JSON.`,
    others: "Users can have other fields too",
    othersRestricted: "Other fields have a schema too. Edit it as JSON.",
    types: {
      any: "Any value",
      string: "Text",
      integer: "Whole number",
      number: "Number",
      boolean: "Yes / no",
      array: "List",
      object: "Object",
      other: "See JSON",
    },
  },
  errors: {
    unnamed: "Enter a name, or remove the field.",
    duplicate: "Another field already has this name.",
    core: "Roster defines this field. A schema describes custom fields only.",
    invalidName: "Use letters, digits and _, and begin with a letter.",
    number: (value: string) => `“${value}” is not a number.`,
    integer: (value: string) => `“${value}” is not a whole number.`,
    uniqueType: "A unique field needs the type Text, Whole number or Number.",
    object: "A schema is a JSON object. Start with { and end with }.",
    title: "The schema is not valid",
  },
  json: "Schema as JSON",
  jsonHint: "JSON Schema (2020-12) of the custom fields.",
  forbidden: {
    title: "Your key can't read the schema",
    text: "This needs a key with the scope users:read or schema:manage.",
  },
};

export const saveSchema = {
  title: "Save the schema",
  checking: "Checking all users…",
  progress: (checked: string, total: string) => `${checked} of ${total} users checked`,
  conform: (count: string) => (count === "1" ? "The only user conforms." : `All ${count} users conform.`),
  noUsers: "There are no users yet.",
  unchecked:
    "Users are not checked: your key lacks the scope users:read. Users that do not conform stay as they are, and you can't see which.",
  violating: (violating: string, checked: string) =>
    `${violating} of ${checked} users would not conform. They stay as they are, and you can still change their other fields.`,
  first: (count: string) => `The first ${count}:`,
  save: "Save schema",
  saveAnyway: "Save anyway",
  saved: (version: string) => `Schema saved as version ${version}`,
  conflict: {
    title: "Someone else changed the schema",
    text: (version: string) =>
      `Version ${version} was saved while you were editing. Load it and lose your changes, or replace it with yours.`,
    removed: "The schema was deleted while you were editing. Save yours, or discard your changes.",
    theirs: "Load theirs",
    mine: "Replace with mine",
  },
};

export const deleteSchema = {
  title: "Delete the schema?",
  text: "Roster no longer checks custom fields, and no field is unique. Users stay as they are. The versions of the schema stay too.",
  action: "Delete schema",
  done: "Schema deleted",
  conflict: "Someone else has just changed the schema. Look at it, then delete it again.",
};

export const schemaVersions = {
  title: "Versions",
  hint: "Roster keeps every version of the schema.",
  show: "Show versions",
  more: "Show more",
  list: "Versions of the schema",
  version: (version: string) => `Version ${version}`,
  current: "Current",
  removed: "No schema",
  fields: (names: readonly string[]) => {
    if (names.length === 0) return "No fields";
    const shown = names.slice(0, 5).join(", ");
    return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
  },
  saved: "Saved",
  by: "by",
  view: "View",
  viewVersion: (version: string) => `View version ${version}`,
  restore: "Restore",
  restoreVersion: (version: string) => `Restore version ${version}`,
  restoreThis: "Restore this version",
};

export const violations = {
  title: "Users that do not conform",
  hint: "A new schema does not change users. These users have values that it does not allow.",
  unsaved: "According to the saved schema.",
  find: "Find users",
  more: "Find more",
  list: "Users that do not conform",
  user: (id: number) => `User ${id}`,
  none: "All users conform.",
  stop: "Stop",
};
