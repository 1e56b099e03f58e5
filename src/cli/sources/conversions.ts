import type { Json } from "../../contract/json.ts";

/** Values that other systems write for a field without a value. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  // CSV has objects and lists as text.
  if (typeof value === "string") return /^\s*(\{\}|\[\])?\s*$/.test(value);
  if (typeof value !== "object" || value instanceof Uint8Array) return false;
  return Object.keys(value).length === 0;
}

/** Unlike JSON, a record of LDIF can have bytes: they are a value, not an object with members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/** Text without surrounding spaces. Numbers become text. Undefined for anything else, and for empty text. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  return value.trim() || undefined;
}

/** The first value that is text. */
export function firstText(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const text = toText(Array.isArray(value) ? value[0] : value);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** All values that are text, with spaces between them. */
function joinTexts(values: readonly unknown[]): string | undefined {
  return values.map(toText).filter(Boolean).join(" ") || undefined;
}

/**
 * A name: the first of the values that is text. Two values next to each other in one list are joined: a given name and a family
 * name.
 */
export function nameFrom(alternatives: readonly (readonly number[])[]) {
  return (values: readonly unknown[]): string | undefined => {
    for (const indexes of alternatives) {
      const parts = indexes.map((index) => values[index]);
      const name = joinTexts(parts.map((part) => (Array.isArray(part) ? part[0] : part)));
      if (name !== undefined) return name;
    }
    return undefined;
  };
}

/** True and false, also as text: CSV has `true`, `t` or `TRUE`. */
export function toBoolean([value]: readonly unknown[]): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = firstText([value])?.toLowerCase();
  if (text === "true" || text === "t" || text === "1") return true;
  return text === "false" || text === "f" || text === "0" ? false : undefined;
}

/** The opposite of `toBoolean`. */
export function notBoolean(values: readonly unknown[]): boolean | undefined {
  const value = toBoolean(values);
  return value === undefined ? undefined : !value;
}

/** Parses JSON inside a text: CSV cells, and members that hold JSON as text. Other values stay as they are. */
export function parseJsonText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** An object or a list, also as JSON text. */
export function toJson([value]: readonly unknown[]): Json | undefined {
  const parsed = parseJsonText(value);
  return isEmpty(parsed) ? undefined : asJson(parsed);
}

/** The value as JSON. Undefined for bytes and for what JSON cannot express. */
export function asJson(value: unknown): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (Array.isArray(value)) {
    const items = value.map(asJson);
    return items.filter((item) => item !== undefined);
  }
  if (!isObject(value)) return undefined;
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const json = asJson(member);
    return json === undefined ? [] : [[name, json]];
  });
  return Object.fromEntries(members);
}

/** A list of texts: an array, or a text with commas between the items, as in CSV. */
export function toList([value]: readonly unknown[]): string[] | undefined {
  const items = Array.isArray(value) ? value : typeof value === "string" ? value.split(/[,|\s]+/) : [];
  const texts = items.map(toText).filter((text) => text !== undefined);
  return texts.length > 0 ? texts : undefined;
}

const NUMBER = /^-?\d+$/;
const EPOCH = /^-?\d{9,14}$/;
/** Times in milliseconds have more digits than times in seconds, until the year 2286. */
const SECONDS_DIGITS = 10;
/** Of LDAP, such as 20261116080000Z or 20261116080000.0Z. */
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/;

/**
 * A time as RFC 3339 in UTC. Accepts seconds and milliseconds since 1970, and the notations of PostgreSQL, PocketBase and LDAP.
 * Only for fields that are times: a number in another field stays a number.
 */
export function toTime(values: readonly unknown[]): string | undefined {
  const text = firstText(values);
  if (text === undefined) return undefined;
  if (NUMBER.test(text) && !EPOCH.test(text)) return text;
  const time = EPOCH.test(text)
    ? Number(text) * (text.replace("-", "").length <= SECONDS_DIGITS ? 1000 : 1)
    : Date.parse(
        text
          .replace(GENERALIZED_TIME, "$1-$2-$3T$4:$5:$6Z")
          .replace(/^(\d{4}-\d\d-\d\d) (\d\d:)/, "$1T$2")
          .replace(/([+-]\d\d)$/, (offset) => (text.includes(":") ? `${offset}:00` : offset)),
      );
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString() : text;
}
