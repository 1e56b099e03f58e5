import { text as readAll } from "node:stream/consumers";
import type { CustomFields, ExportOptions, UserInput, UserPatch } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { isObject } from "../../contract/json.ts";
import { listLimits } from "../../contract/listing.ts";
import { columnFields, userRecordFields } from "../../contract/users/user-fields.ts";
import { parseValue } from "../../domain/csv/cells.ts";
import { type FieldPath, parseFieldPath, parseFieldPaths } from "../../domain/field-path.ts";
import type { CommandContext } from "../command.ts";
import { combineFilters, filterFlag } from "./filter-flag.ts";
import { readWhere, whereFlag } from "./where-flag.ts";

const sortFields = [...columnFields, "userName"];
const orList = new Intl.ListFormat("en", { type: "disjunction" });

export const idFlag = {
  flag: "id",
  form: "word",
  takes: "the id of a user, such as 7. To find it: `roster users find EMAIL`",
  about: "The id of the user.",
  parse: parseId,
} as const satisfies Flag<number>;

export const idsFlag = {
  ...idFlag,
  form: "words",
  takes: "the ids of users, such as 7 8 9. To find an id: `roster users find EMAIL`",
  about: "The ids of the users.",
  default: "",
  parse: (text: string) => (text === "" ? [] : [...new Set(text.split("\u0000").map(parseId))]),
} as const satisfies Flag<number[]>;

/** Ids among other words. Throws a `ConfigError`. */
export function parseIds(words: readonly string[]): number[] {
  try {
    return [...new Set(words.map(parseId))];
  } catch {
    throw new ConfigError(`ID=${words.join(" ")} is invalid. Use ${idsFlag.takes}.`);
  }
}

/** Flags that select users. */
export const searchFlags = {
  q: {
    flag: "q",
    default: "",
    takes: `a text of up to ${listLimits.searchCharacters} characters`,
    about: "Find users by words in the name or email.",
    parse: (text) => text,
  },
  where: whereFlag,
  filter: filterFlag,
} as const satisfies Record<string, Flag<unknown>>;

/** Flags that say in which order and with which fields users are listed. */
export const viewFlags = {
  sort: {
    flag: "sort",
    default: "id",
    choices: sortFields.flatMap((field) => [field, `-${field}`]),
    takes: `${orList.format([...sortFields, "a custom field, such as level or address.city"])}; for descending order, add - in front`,
    about: `Sort by ${orList.format([...sortFields, "a custom field, such as level or address.city"])}. For descending order, add - in front.`,
    parse: parseSort,
  },
  fields: {
    flag: "fields",
    form: "list",
    default: "",
    takes: "field names separated by commas, such as id,name,address.city",
    about:
      "Get only these fields from the service, such as id,name,address.city, besides the id and the version.",
    parse: parseFieldList,
  },
} as const satisfies Record<string, Flag<unknown>>;

export const fieldsFlag = {
  flag: "fields",
  form: "words",
  default: "",
  takes: "FIELD=VALUE…, or - for JSON from stdin",
  about: "FIELD=VALUE for each field; or - to read a JSON object from stdin.",
  parse: (text) => text.split("\u0000").filter((word) => word !== ""),
} as const satisfies Flag<string[]>;

export const versionFlag = {
  flag: "if-version",
  default: "",
  takes: "a version, a whole number",
  about: "Change or delete the user only if it still has this version. Otherwise exit with code 4.",
  parse: (text) => (text === "" ? undefined : parseId(text)),
} as const satisfies Flag<number | undefined>;

type Search = Pick<ExportOptions, "q" | "where" | "filter">;

/** The flags as options of the client. Throws a `ConfigError`. */
export function toSearch({
  q,
  where,
  filter,
}: {
  readonly q: string;
  readonly where: readonly string[];
  readonly filter: readonly string[];
}): Search {
  const expression = combineFilters(filter);
  return {
    ...(q !== "" && { q }),
    ...(where.length > 0 && { where: readWhere(where) }),
    ...(expression !== undefined && { filter: expression }),
  };
}

/** Reads the fields from FIELD=VALUE arguments, or from stdin. Throws a `ConfigError`. */
export async function readFields(
  words: readonly string[],
  { stdin }: Pick<CommandContext, "stdin">,
): Promise<CustomFields> {
  if (words.length === 1 && words[0] === "-") return parseFields(await readAll(stdin));
  if (words.length === 0)
    throw new ConfigError('Add fields as FIELD=VALUE, like name="Ada Lovelace" level=3.');
  const fields: CustomFields = {};
  for (const word of words) {
    const [, field, value] = /^([A-Za-z][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
    if (field === undefined || value === undefined) {
      throw new ConfigError(
        `Invalid field ${JSON.stringify(word)}: write FIELD=VALUE, like name="Ada Lovelace" level=3.`,
      );
    }
    const isText = field === "name" || (userRecordFields.isText(field) && value !== "null");
    fields[field] = isText ? value : parseValue(value);
  }
  return fields;
}

/** A complete user. The service checks the rest. Throws a `ConfigError`. */
export function toUserInput(fields: CustomFields): UserInput {
  const { name, ...patch } = toUserPatch(fields);
  if (name === undefined) throw new ConfigError('Name is required: add name="Ada Lovelace".');
  return { ...patch, name };
}

/** A change of a user: omitted fields stay. */
export function toUserPatch(fields: CustomFields): UserPatch {
  const { name, email, ...customFields } = fields;
  const patch: UserPatch = customFields;
  if (typeof name === "string") patch.name = name;
  else if (name !== undefined) throw new ConfigError("Name must be text, and cannot be removed.");
  if (typeof email === "string" || email === null) patch.email = email;
  else if (email !== undefined) throw new ConfigError("Email must be text, or null for none.");
  return patch;
}

/** The fields of a user in JSON. Throws a `ConfigError`. */
export function parseFields(text: string): CustomFields {
  let reason = "";
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (error instanceof Error) reason = ` (${error.message.replace(/^JSON Parse error: /, "")})`;
  }
  throw new ConfigError(`The input is not a JSON object${reason}. Use an object such as {"name": "Ada"}.`);
}

function parseId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new RangeError(text);
  return id;
}

function parseSort(text: string): string {
  if (!parseFieldPath(text.replace(/^-/, ""))) throw new RangeError(text);
  return text;
}

function parseFieldList(text: string): readonly FieldPath[] | undefined {
  if (text === "") return undefined;
  const paths = parseFieldPaths(text.replace(/\s*,\s*/g, ","));
  if (!paths) throw new RangeError(text);
  return paths;
}
