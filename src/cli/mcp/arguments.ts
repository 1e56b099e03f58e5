import { ConfigError } from "../../config/config.ts";
import { type FieldPath, formatFieldPath, parseFieldPaths } from "../../domain/field-path.ts";

/** The arguments of a tool call. */
export type ToolArguments = Readonly<Record<string, unknown>>;

export function readText(args: ToolArguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new ConfigError(`${name} must be a string.`);
  return value;
}

export function readInteger(args: ToolArguments, name: string): number | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw new ConfigError(`${name} must be a positive integer.`);
  }
  return value;
}

export function requireInteger(args: ToolArguments, name: string): number {
  const value = readInteger(args, name);
  if (value === undefined) throw new ConfigError(`${name} is required.`);
  return value;
}

export function requireObject(args: ToolArguments, name: string): Readonly<Record<string, unknown>> {
  const value = args[name];
  if (!isObject(value)) throw new ConfigError(`${name} must be an object.`);
  return value;
}

/** Paths such as `name` and `address.city`. */
export function readFields(args: ToolArguments): string[] | undefined {
  const { fields } = args;
  if (fields === undefined || fields === null) return undefined;
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === "string");
  const paths: readonly FieldPath[] | undefined = isList ? parseFieldPaths(fields.join(",")) : undefined;
  if (!paths) throw new ConfigError("fields must be a list of field names, such as address.city.");
  return paths.map(formatFieldPath);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
