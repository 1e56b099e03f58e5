/** A JSON value, as a caller may put into a record. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Every bound on a record. The schemas, the checks and the docs all read them from here. */
export const userLimits = {
  nameCharacters: 200,
  emailCharacters: 254,
  recordBytes: 16 * 1024,
  nestingLevels: 64,
  bodyBytes: 64 * 1024,
} as const;

/** How long the name of a create may be, and how long what it came to is kept. */
export const idempotency = { keyCharacters: 255, retentionHours: 24 } as const;

/** Control characters, as the inside of a character class. */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
/** A run of characters that may stand between the dots and the @ of an address. */
const ATOM = `[^\\s@.,:;<>()"\\[\\]\\\\${CONTROL}]+`;

export const FIELD_NAME_PATTERN = "^[A-Za-z][A-Za-z0-9_]{0,63}$";
export const NAME_PATTERN = `^[^${CONTROL}]*$`;
export const EMAIL_PATTERN = `^${ATOM}(\\.${ATOM})*@${ATOM}(\\.${ATOM})*$`;

/** Fields that only the service writes; ignored in a body, so that a record can be read and sent back whole. */
export const managedFields = ["id", "version", "createdAt", "updatedAt"] as const;

/** Roster keeps no credentials: as top-level fields these are refused. */
export const credentialFields = ["password", "passwd", "secret", "token", "apiKey"] as const;

/** Names that could reach an object's prototype in some caller's program: refused at any depth. */
export const prototypeNames = ["__proto__", "constructor", "prototype"] as const;

/** What the caller decides about a user: its name, its email, and any fields of its own, in that order. */
export type UserRecord = { name: string; email?: string } & { [field: string]: Json };
