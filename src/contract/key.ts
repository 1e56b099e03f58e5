/** What a key may be good for. */
export const scopes = ["users:read", "users:write", "keys:manage"] as const;
export type Scope = (typeof scopes)[number];

/** Every bound on keys and sessions. */
export const keyLimits = {
  nameCharacters: 100,
  /** A node keeps all keys in memory, so that checking one costs next to nothing. */
  keys: 10_000,
  requests: 1_000_000,
  seconds: 86_400,
  quota: 1_000_000_000_000,
  graceSeconds: 30 * 86_400,
  sessionHours: 12,
  /** A key that has ended longer ago is not told apart from one that never was. */
  retentionDays: 30,
} as const;

export const ALPHANUMERIC = "[0-9A-Za-z]";
/** A key: 30 random letters and digits, and 6 that the others can be checked by. */
export const SECRET_PATTERN = `roster_${ALPHANUMERIC}{36}`;

/** What can be said of a key to make. */
export const keyFields = [
  "name",
  "scopes",
  "expiresAt",
  "rateLimit",
  "quota",
  "replaces",
  "graceSeconds",
] as const;
