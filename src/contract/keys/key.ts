/** What a key can do. */
export const scopes = [
  "users:read",
  "users:write",
  "users:purge",
  "groups:read",
  "groups:write",
  "events:read",
  "schema:manage",
  "webhooks:manage",
  "keys:manage",
] as const;
export type Scope = (typeof scopes)[number];

/** Names that the command line accepts for several scopes. Keys have the scopes. */
export const scopeGroups = {
  scim: ["users:read", "users:write", "groups:read", "groups:write"],
  all: scopes,
} as const satisfies Record<string, readonly Scope[]>;

/** The limits of keys, sessions and access tokens. */
export const keyLimits = {
  nameCharacters: 100,
  /** Every node holds all keys in memory. */
  keys: 10_000,
  requests: 1_000_000,
  seconds: 86_400,
  quota: 1_000_000_000_000,
  graceSeconds: 30 * 86_400,
  sessionHours: 12,
  accessTokenSeconds: 3600,
  /** Access tokens of one key. A further one ends the oldest. */
  accessTokens: 100,
  /** Keys that expired or were revoked longer ago get `unauthenticated`, like unknown keys. */
  retentionDays: 30,
  /** How long the daily usage of keys is kept. */
  usageDays: 400,
} as const;

export const ALPHANUMERIC = "[0-9A-Za-z]";
/** The secret of a key: 30 random letters and digits, and a checksum of 6. */
export const SECRET_PATTERN = `roster_${ALPHANUMERIC}{36}`;
/** An access token: the id of its key, 30 random letters and digits, and a checksum of 6. */
export const ACCESS_TOKEN_PATTERN = `roster_token_(?:0|[1-9][0-9]{0,15})_${ALPHANUMERIC}{36}`;

/** The fields of POST /api/keys. */
export const keyFields = [
  "name",
  "scopes",
  "expiresAt",
  "rateLimit",
  "quota",
  "replaces",
  "graceSeconds",
] as const;
