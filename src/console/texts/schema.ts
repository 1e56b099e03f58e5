import { formatNumber } from "./format.ts";

export const schema = {
  /** Someone else saves the schema while a person edits it. */
  others: {
    someone: "Someone else",
    saved: (version: string) =>
      `saved version ${version} of the schema. If you save, you choose whether your version replaces it.`,
  },
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
    title: "Label in forms",
    description: "Description",
    allowed: "Allowed values",
    allowedHint: "None means all values.",
    required: "Required",
    unique: "Unique",
    uniqueHint: "No two users can have the same value.",
    nullable: "Can be null",
    format: "Format",
    formats: {
      "": "Any text",
      date: "Date",
      "date-time": "Date and time",
      time: "Time",
      email: "Email address",
      hostname: "Host name",
      ipv4: "IPv4 address",
      ipv6: "IPv6 address",
      uri: "Web address (URI)",
      uuid: "UUID",
    },
    pattern: "Pattern",
    patternHint: "A regular expression, such as ^B-\\d{4}$.",
    limits: {
      minLength: "Fewest characters",
      maxLength: "Most characters",
      minimum: "At least",
      maximum: "At most",
      exclusiveMinimum: "More than",
      exclusiveMaximum: "Less than",
      multipleOf: "Multiple of",
      minItems: "Fewest elements",
      maxItems: "Most elements",
    },
    itemType: "Elements",
    uniqueItems: "Each element once",
    default: "Default",
    defaultHint: "What a new user gets if nobody says otherwise.",
    json: "JSON",
    jsonLabel: "Schema of the field as JSON",
    asJson: "Edit as JSON",
    asForm: "Edit as form",
    summary: {
      required: "required",
      unique: "unique",
      values: (values: readonly string[]) => values.join(", "),
      byDefault: (value: string) => `default ${value}`,
    },
    remove: (name: string) => (name === "" ? "Remove unnamed field" : `Remove ${name}`),
    group: (name: string) => (name === "" ? "New field" : name),
    also: (keywords: string) => `Also has ${keywords}.`,
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
      other: "Other",
    },
  },
  errors: {
    unnamed: "Enter a name, or remove the field.",
    duplicate: "Another field already has this name.",
    core: "Roster defines this field. A schema describes custom fields only.",
    groups: "Choose another name, such as groupNames.",
    invalidName: "Use letters, digits and _, and begin with a letter.",
    number: (value: string) => `“${value}” is not a number.`,
    integer: (value: string) => `“${value}” is not a whole number.`,
    uniqueType: "A unique field needs the type Text, Whole number or Number.",
    object: "A schema is a JSON object. Start with { and end with }.",
    title: "The schema is not valid",
  },
  json: "Schema as JSON",
  jsonHint: "JSON Schema (2020-12) of the custom fields.",
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
  list: "Versions of the schema",
  version: (version: string) => `Version ${version}`,
  current: "Current",
  removed: "No schema",
  fields: (names: readonly string[]) => {
    if (names.length === 0) return "No fields";
    const shown = names.slice(0, 5).join(", ");
    return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
  },
  columns: { version: "Version", fields: "Fields", saved: "Saved", by: "Saved by" },
  copy: "Copy schema",
  restore: "Restore this version",
};

export const violations = {
  title: "Users that do not conform",
  hint: "A new schema does not change users. These users have values that it does not allow.",
  unsaved: "According to the saved schema.",
  find: "Find users",
  list: "Users that do not conform",
  /** The users that are listed are not all. */
  first: (count: number) => `The first ${formatNumber(count)}:`,
  problems: "Problems",
  users: (count: number) => (count === 1 ? "1 user" : `${formatNumber(count)} users`),
  columns: { user: "User", field: "Field", error: "Problem" },
  others: (count: number) => `+${count}`,
  user: (id: number) => `User ${id}`,
  none: "All users conform.",
  stop: "Stop",
};
