import { text as readAll } from "node:stream/consumers";
import type { CustomFields } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { isObject } from "../../contract/json.ts";
import { listLimits } from "../../contract/listing.ts";
import { parseValue } from "../../domain/csv/cells.ts";
import { type FieldPath, parseFieldPath, parseFieldPaths } from "../../domain/field-path.ts";
import type { CommandContext } from "../command.ts";
import { parseId } from "../parse-id.ts";
import type { RecordKind } from "../records/record-kind.ts";
import { combineFilters } from "./filter-flag.ts";
import { manyRecordsOutputFlags } from "./output-flag.ts";
import { switchFlag } from "./switch-flag.ts";
import { readWhere, type Where, whereFlagOf } from "./where-flag.ts";

const orList = new Intl.ListFormat("en", { type: "disjunction" });

/** Flags that select users or groups. */
export const searchFlags = ({ searched, many, filter }: RecordKind) =>
  ({
    q: {
      flag: "q",
      default: "",
      takes: `a text of up to ${listLimits.searchCharacters} characters`,
      about: `Find ${many} by words in ${searched}.`,
      parse: (text: string) => text,
    },
    where: whereFlagOf(many),
    filter,
  }) as const satisfies Record<string, Flag<unknown>>;

/** Flags that say in which order and with which fields users or groups are listed. */
export function viewFlags({ sortFields, examples: { customFields, list } }: RecordKind) {
  const fields = orList.format([...sortFields, `a custom field, such as ${customFields}`]);
  return {
    sort: {
      flag: "sort",
      default: "id",
      choices: sortFields.flatMap((field) => [field, `-${field}`]),
      takes: `${fields}; for descending order, add - in front`,
      about: `Sort by ${fields}. For descending order, add - in front.`,
      parse: parseSort,
    },
    fields: {
      flag: "fields",
      form: "list",
      default: "",
      takes: `field names separated by commas, such as ${list}`,
      about: `Get only these fields from the service, such as ${list}, besides the id and the version.`,
      parse: parseFieldList,
    },
  } as const satisfies Record<string, Flag<unknown>>;
}

/** Flags that say how much of a list is printed. */
const pageFlags = ({ many }: RecordKind) =>
  ({
    limit: {
      flag: "limit",
      default: "",
      takes: "a whole number from 1 to 100000",
      about: `The maximum number of ${many}. (default\u00a0${DEFAULT_LIMIT})`,
      parse: parseLimit,
    },
    all: switchFlag("all", `List all ${many}, not only the first ones.`),
    after: {
      flag: "after",
      default: "",
      takes: "the cursor that the previous list printed",
      about: "Continue a list: the cursor that the previous list printed.",
      parse: (text: string) => text || undefined,
    },
  }) as const satisfies Record<string, Flag<unknown>>;

export const DEFAULT_LIMIT = 100;

export const explainFlag = ({ many }: RecordKind) =>
  switchFlag(
    "explain",
    `Print how the service finds the first page of the list, and how many rows it reads, instead of the ${many}.`,
  );

/** Flags that say what a list prints of the records that are selected. */
export const listFlags = (kind: RecordKind) => ({
  ...viewFlags(kind),
  ...pageFlags(kind),
  ...manyRecordsOutputFlags,
});

export const fieldsFlag = {
  flag: "fields",
  form: "words",
  default: "",
  takes: "FIELD=VALUE…, or - for JSON from stdin",
  about: "FIELD=VALUE for each field; or - to read a JSON object from stdin.",
  parse: (text) => text.split("\u0000").filter((word) => word !== ""),
} as const satisfies Flag<string[]>;

export const versionFlag = ({ one }: RecordKind) =>
  ({
    flag: "if-version",
    default: "",
    takes: "a version, a whole number",
    about: `Change or delete the ${one} only if it still has this version. Otherwise exit with code 4.`,
    parse: (text: string) => (text === "" ? undefined : parseId(text)),
  }) as const satisfies Flag<number | undefined>;

export const createKeyFlag = ({ one }: RecordKind) =>
  ({
    flag: "idempotency-key",
    default: "",
    takes: "1 to 255 printable characters",
    about: `Identifies this create: repeating it with the same key creates no second ${one}.`,
    parse: (text: string) => text || undefined,
  }) as const satisfies Flag<string | undefined>;

/** What selects users or groups, as options of the client. */
export interface Search {
  readonly q?: string;
  readonly where?: Where;
  readonly filter?: string;
}

/** The flags as options of the client. Throws a `ConfigError`. */
export function toSearch(
  { many }: RecordKind,
  {
    q,
    where,
    filter,
  }: { readonly q: string; readonly where: readonly string[]; readonly filter: readonly string[] },
): Search {
  const expression = combineFilters(filter);
  return {
    ...(q !== "" && { q }),
    ...(where.length > 0 && { where: readWhere(where, many) }),
    ...(expression !== undefined && { filter: expression }),
  };
}

/** Reads the fields from FIELD=VALUE arguments, or from stdin. Throws a `ConfigError`. */
export async function readFields(
  { fields: known, examples }: RecordKind,
  words: readonly string[],
  { stdin }: Pick<CommandContext, "stdin">,
): Promise<CustomFields> {
  if (words.length === 1 && words[0] === "-") return parseFields(await readAll(stdin));
  const example = `${examples.name} ${examples.other}`;
  if (words.length === 0) throw new ConfigError(`Add fields as FIELD=VALUE, like ${example}.`);
  const fields: CustomFields = {};
  for (const word of words) {
    const [, field, value] = /^([A-Za-z][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
    if (field === undefined || value === undefined) {
      throw new ConfigError(`Invalid field ${JSON.stringify(word)}: write FIELD=VALUE, like ${example}.`);
    }
    const isText = field === "name" || (known.isText(field) && value !== "null");
    fields[field] = isText ? value : parseValue(value);
  }
  return fields;
}

/** The name among fields. Throws a `ConfigError` if it is not text. */
export function readName({ name }: CustomFields): { name?: string } {
  if (name === undefined) return {};
  if (typeof name !== "string") throw new ConfigError("Name must be text, and cannot be removed.");
  return { name };
}

/** A name that a new record needs. Throws a `ConfigError`. */
export function requireName<Patch extends { name?: string }>(
  { examples }: RecordKind,
  patch: Patch,
): Patch & { name: string } {
  const { name } = patch;
  if (name === undefined) throw new ConfigError(`Name is required: add ${examples.name}.`);
  return { ...patch, name };
}

/** The fields of a record in JSON. Throws a `ConfigError`. */
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

function parseLimit(text: string): number | undefined {
  if (text === "") return undefined;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 100_000) throw new RangeError(text);
  return limit;
}
