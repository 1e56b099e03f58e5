import { ConfigError } from "../../config/config.ts";
import { isObject } from "../../contract/json.ts";
import { type FieldPath, formatFieldPath, parseFieldPath, parseFieldPaths } from "../../domain/field-path.ts";
import { type GroupWord, parseGroup } from "../find-group.ts";

/** The arguments of a tool call. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Adds a sentence to the answer of a tool. */
export type AddNote = (note: string) => void;

const MAX_TEXT = 5000;

export function readText(args: ToolArguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new ConfigError(`${name} must be a string.`);
  if (value.length > MAX_TEXT) throw new ConfigError(`${name} has more than ${MAX_TEXT} characters.`);
  return value;
}

/** A filter expression. The service checks it. */
function readFilter(args: ToolArguments): string | undefined {
  if (isObject(args.filter)) throw new ConfigError('filter must be a text, such as: department eq "sales".');
  return readText(args, "filter");
}

/** The words and the condition of a search. */
export function readSearch(args: ToolArguments) {
  const q = readText(args, "q");
  return { ...(q !== undefined && { q }), filter: readFilter(args) };
}

export function readInteger(args: ToolArguments, name: string): number | undefined {
  const value = toNumber(args[name]);
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || value < 1) throw new ConfigError(`${name} must be a positive integer.`);
  return value;
}

export function requireInteger(args: ToolArguments, name: string): number {
  const value = readInteger(args, name);
  if (value === undefined) throw new ConfigError(`${name} is required.`);
  return value;
}

/** The number of items of an answer. Another number than asked for gets a note: the assistant has an answer, and knows. */
export function readLimit(
  args: ToolArguments,
  { standard, maximum }: { readonly standard: number; readonly maximum: number },
  addNote: AddNote,
): number {
  const value = toNumber(args.limit);
  if (value === undefined) return standard;
  if (Number.isNaN(value)) throw new ConfigError(`limit must be an integer from 1 to ${maximum}.`);
  const limit = Math.min(Math.max(Math.floor(value), 1), maximum);
  if (limit !== value) addNote(`limit is an integer from 1 to ${maximum}. This answer has at most ${limit}.`);
  return limit;
}

/** A group: a number or digits are an id, and other text is a name. */
export function readGroup(args: ToolArguments): GroupWord | undefined {
  const { group } = args;
  const text = typeof group === "number" ? String(group) : readText(args, "group");
  if (text === undefined) return undefined;
  try {
    return parseGroup(text);
  } catch {
    throw new ConfigError("group must be the id or the name of a group.");
  }
}

export function requireGroup(args: ToolArguments): GroupWord {
  const group = readGroup(args);
  if (!group) throw new ConfigError("group is required: the id or the name of a group.");
  return group;
}

/** Ids, each once: as a list, or a single one. */
export function requireIds(args: ToolArguments, name: string, maximum: number): number[] {
  const given = args[name];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const ids = list.slice(0, maximum + 1).map((value) => toNumber(value) ?? Number.NaN);
  if (ids.length === 0 || ids.length > maximum || !ids.every((id) => Number.isSafeInteger(id) && id >= 1)) {
    throw new ConfigError(`${name} must be a list of 1 to ${maximum} ids, which are positive integers.`);
  }
  return [...new Set(ids)];
}

export function requireObject(args: ToolArguments, name: string): Readonly<Record<string, unknown>> {
  const value = args[name];
  if (!isObject(value)) throw new ConfigError(`${name} must be an object.`);
  return value;
}

/** Paths such as `name` and `address.city`, as a list or as one text. */
export function readFields(args: ToolArguments): string[] | undefined {
  const { fields } = args;
  if (fields === undefined || fields === null) return undefined;
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === "string");
  const text = isList ? fields.join(",") : fields;
  const paths: readonly FieldPath[] | undefined =
    typeof text === "string" && text.length <= MAX_TEXT ? parseFieldPaths(text) : undefined;
  if (!paths) throw new ConfigError("fields must be a list of field names, such as name and address.city.");
  return paths.map(formatFieldPath);
}

/** One path, such as `address.city`. */
export function readPath(args: ToolArguments, name: string): FieldPath | undefined {
  const text = readText(args, name);
  if (text === undefined) return undefined;
  const path = parseFieldPath(text);
  if (!path) throw new ConfigError(`${name} must be a field, such as department or address.city.`);
  return path;
}

/** Text that others chose, short enough for a message. */
export function shorten(text: string, characters = 100): string {
  // A character is one or two units long. The half of a pair would not be text.
  const start = [...text.slice(0, 2 * characters)].slice(0, characters).join("");
  return start.length < text.length ? `${start}…` : text;
}

/** Accepts a number as text too: assistants send both. Returns NaN if the value is not a number. */
function toNumber(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d{1,16}(\.\d{1,16})?$/.test(value) ? Number(value) : Number.NaN;
}
