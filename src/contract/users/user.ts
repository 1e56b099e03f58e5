import type { Json } from "../json.ts";

/** The limits of a record. The schemas, the checks and the docs use these values. */
export const userLimits = {
  nameCharacters: 256,
  userNameCharacters: 256,
  emailCharacters: 254,
  recordBytes: 16 * 1024,
  recordFields: 256,
  nestingLevels: 64,
  bodyBytes: 64 * 1024,
} as const;

/** The longest `Idempotency-Key`, and how long its outcome is stored. */
export const idempotency = { keyCharacters: 255, retentionHours: 24 } as const;
/**
 * Printable ASCII characters: bare, bare with a quote at the beginning (but not an empty quoted string), or as a quoted string
 * with escaped quotes and backslashes.
 */
export const IDEMPOTENCY_KEY_PATTERN = `^([!#-~]([ -~]{0,${idempotency.keyCharacters - 2}}[!-~])?|"([!#-~]|[ -~]{1,${idempotency.keyCharacters - 2}}[!-~])?|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,${idempotency.keyCharacters}}")$`;

/** Control characters, as part of a character class. */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
/**
 * Invisible characters, as part of a character class: Default_Ignorable_Code_Point of Unicode up to U+FFFF, the blank braille
 * pattern and interlinear annotation.
 */
const INVISIBLE =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb";
/** The characters between the dots and the @ of an email address. */
const ATOM = `[^\\s@.,:;<>()"\\[\\]\\\\${CONTROL}${INVISIBLE}]+`;

/** A stored name, or a user name. Its length has its own limit. */
export const NAME_PATTERN = `^[^${CONTROL}]*$`;
export const EMAIL_PATTERN = `^${ATOM}(\\.${ATOM})*@${ATOM}(\\.${ATOM})*$`;
/** Any text without U+0000. */
export const TEXT_PATTERN = "^[^\\u0000]*$";

/** A name in a request body: after trimming, 1 to this many characters and no control characters. */
export function untrimmedNamePattern(maxCharacters: number): string {
  const visible = `[^\\s${CONTROL}]`;
  return `^\\s*${visible}([^${CONTROL}]{0,${maxCharacters - 2}}${visible})?\\s*$`;
}

/** The part of a user that callers write: name, email and the other fields, in this order. */
export type UserRecord = { name: string; email?: string } & { [field: string]: Json };
