import { text as readAll } from "node:stream/consumers";
import type { CustomFields, ListOptions, UserInput, UserPatch } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { listLimits, listParameterNames, sortFields } from "../../contract/listing.ts";
import type { Json } from "../../contract/user.ts";
import { parseCell } from "../../domain/csv/cells.ts";
import type { CommandContext } from "../command.ts";

/** A switch that is off unless it is there. */
export function switchFlag(flag: string, about: string): Flag<boolean> & { flag: string; form: "switch" } {
  return { flag, form: "switch", default: "", takes: "no value", about, parse: (text) => text === "true" };
}

export const jsonFlag = switchFlag("json", "JSON, one object a line; so it is in a pipe.");

export const idFlag = {
  flag: "id",
  form: "word",
  takes: "the id of a user, a whole number; `roster users find` knows it by the email",
  about: "Which user: its id.",
  parse: parseId,
} as const satisfies Flag<number>;

/** Which users are meant. */
export const searchFlags = {
  q: {
    flag: "q",
    default: "",
    takes: `a text of up to ${listLimits.searchCharacters} characters`,
    about: "Those whose name or email holds this text.",
    parse: (text) => text,
  },
  where: {
    flag: "where",
    form: "list",
    default: "",
    takes: "FIELD=VALUE",
    about: "FIELD=VALUE: those that have this value; several of one field: any of them.",
    parse: parseWhere,
  },
  sort: {
    flag: "sort",
    default: "id",
    choices: sortFields.flatMap((field) => [field, `-${field}`]),
    takes: `${sortFields.join(", ")}, with - before it for descending`,
    about: `In which order: ${sortFields.join(", ")}; with - before it, the other way round.`,
    parse: parseSort,
  },
} as const satisfies Record<string, Flag<unknown>>;

/** A user as it is written on the command line. */
export const fieldsFlag = {
  flag: "fields",
  form: "words",
  default: "",
  takes: "FIELD=VALUE…, or - for JSON from stdin",
  about: "FIELD=VALUE for each field; or - to read a JSON object from stdin.",
  parse: (text) => text.split("\u0000").filter((word) => word !== ""),
} as const satisfies Flag<string[]>;

/** Of a change: only if the user is still as it was seen. */
export const versionFlag = {
  flag: "if-version",
  default: "",
  takes: "the version of the user that is meant",
  about: "Only if the user still has this version; else nothing is changed, and the exit code is 4.",
  parse: (text) => (text === "" ? undefined : parseId(text)),
} as const satisfies Flag<number | undefined>;

/** What these mean in a query is not a field. */
const parameters = new Set<string>(listParameterNames);

/** What the flags find, as the client is asked for it. Fails with a `ConfigError`. */
export function toSearch({
  q,
  where,
  sort,
}: {
  readonly q: string;
  readonly where: Record<string, string[]>;
  readonly sort: NonNullable<ListOptions["sort"]>;
}): Pick<ListOptions, "q" | "where" | "sort"> {
  const field = Object.keys(where).find((name) => parameters.has(name));
  if (field !== undefined) throw new ConfigError(`Users cannot be filtered by a field called ${field}.`);
  return { sort, where, ...(q !== "" && { q }) };
}

/** The fields that the words give, or that stdin has. Fails with a `ConfigError`. */
export async function readFields(words: readonly string[], { stdin }: CommandContext): Promise<CustomFields> {
  if (words.length === 1 && words[0] === "-") return parseObject(await readAll(stdin));
  if (words.length === 0)
    throw new ConfigError('Say which fields: FIELD=VALUE, as in name="Ada Lovelace" level=3.');
  const fields: CustomFields = {};
  for (const word of words) {
    const [, field, value] = /^([A-Za-z][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
    if (field === undefined || value === undefined) {
      throw new ConfigError(
        `${JSON.stringify(word)} is no field: write FIELD=VALUE, as in name="Ada Lovelace" level=3.`,
      );
    }
    fields[field] = field === "name" || (field === "email" && value !== "null") ? value : toValue(value);
  }
  return fields;
}

/** As the service takes a whole user. What else is wrong with it, the service says. Fails with a `ConfigError`. */
export function toUserInput(fields: CustomFields): UserInput {
  const { name, ...patch } = toUserPatch(fields);
  if (name === undefined) throw new ConfigError('A user needs a name: add name="Ada Lovelace".');
  return { ...patch, name };
}

/** The same of a change, where what is not said stays as it is. */
export function toUserPatch(fields: CustomFields): UserPatch {
  const { name, email, ...own } = fields;
  const patch: UserPatch = own;
  if (typeof name === "string") patch.name = name;
  else if (name !== undefined) throw new ConfigError("A name is text, and cannot be removed.");
  if (typeof email === "string" || email === null) patch.email = email;
  else if (email !== undefined) throw new ConfigError("An email is text, or null for none.");
  return patch;
}

/** JSON where it is JSON, else text. Nothing at all is empty text. */
function toValue(text: string): Json {
  // An apostrophe means something in a table alone.
  const value = text.startsWith("'") ? text : parseCell(text);
  return value === undefined ? "" : value;
}

function parseObject(text: string): CustomFields {
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return value;
  } catch {
    // Told below.
  }
  throw new ConfigError("What stdin has is not a JSON object.");
}

function isFields(value: unknown): value is CustomFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new RangeError(text);
  return id;
}

function parseWhere(text: string): Record<string, string[]> {
  const where: Record<string, string[]> = {};
  // A comma before what is no FIELD= belongs to the value.
  for (const part of text === "" ? [] : text.split(/,(?=[A-Za-z]\w*=)/)) {
    const equals = part.indexOf("=");
    if (equals < 1) throw new RangeError(part);
    const field = part.slice(0, equals);
    where[field] = [...(where[field] ?? []), part.slice(equals + 1)];
  }
  return where;
}

function parseSort(text: string): NonNullable<ListOptions["sort"]> {
  const sort = sortFields.find((field) => field === text.replace(/^-/, ""));
  if (!sort) throw new RangeError(text);
  return text.startsWith("-") ? `-${sort}` : sort;
}
