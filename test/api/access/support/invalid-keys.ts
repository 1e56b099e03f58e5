/** An invalid body of POST /api/keys, with the pointers of its errors. */
export interface InvalidKey {
  /** The subject of the test name. */
  readonly name: string;
  readonly body: unknown;
  readonly pointers: readonly string[];
}

const valid = { name: "ci", scopes: ["users:read"] };

/** A valid body with each of these values in one field. */
const withInvalid = (
  field: string,
  values: Readonly<Record<string, unknown>>,
  base: object = valid,
): InvalidKey[] =>
  Object.entries(values).map(([name, value]) => ({
    name: `a ${field} that is ${name}`,
    body: { ...base, [field]: value },
    pointers: [`/${field}`],
  }));

export const notObjects: InvalidKey[] = Object.entries({
  null: null,
  "a list": [valid],
  "a string": "ci",
  "a number": 7,
  "true or false": true,
}).map(([name, body]) => ({ name: `a body that is ${name}`, body, pointers: [""] }));

export const invalidNames: InvalidKey[] = [
  { name: "no name", body: { scopes: ["users:read"] }, pointers: ["/name"] },
  ...withInvalid("name", {
    null: null,
    "a number": 7,
    "a list": ["ci"],
    "an object": { name: "ci" },
    empty: "",
    "all spaces": " \u00a0\t ",
    "over 100 characters": "n".repeat(101),
    "on two lines": "a\nb",
    "a text with U+0000": "a\u0000b",
    "a text with half of a surrogate pair": "a\ud800b",
  }),
];

export const invalidScopes: InvalidKey[] = [
  { name: "no scopes", body: { name: "ci" }, pointers: ["/scopes"] },
  ...withInvalid("scopes", {
    null: null,
    "a string": "users:read",
    "an object": { "users:read": true },
    empty: [],
    "an unknown scope": ["users:admin"],
    "partly unknown": ["users:read", "keys:read"],
    "in capitals": ["USERS:READ"],
    "a wildcard": ["*"],
    "a repeated scope": ["users:read", "users:read"],
    "too long a list": [
      "users:read",
      "users:write",
      "users:purge",
      "events:read",
      "webhooks:manage",
      "keys:manage",
      "users:read",
    ],
    "a list of lists": [["users:read"]],
    "a list of null": [null],
    "the name of an array member": ["constructor"],
  }),
];

export const invalidExpiries: InvalidKey[] = withInvalid("expiresAt", {
  empty: "",
  "a word": "tomorrow",
  "a number": Date.now() + 60_000,
  false: false,
  "an object": {},
  "in the past": "2020-01-31T12:00:00Z",
  now: new Date().toISOString(),
  "a date without a time": "2090-01-31",
  "a time without a zone": "2090-01-31T12:00:00",
  "31 February": "2090-02-31T12:00:00Z",
  "29 February of a common year": "2090-02-29T12:00:00Z",
  "in month 13": "2090-13-01T12:00:00Z",
  "at hour 24": "2090-01-31T24:00:00Z",
  "at minute 60": "2090-01-31T12:60:00Z",
  "in time zone +99:00": "2090-01-31T12:00:00+99:00",
  "a year of five digits": "10000-01-01T00:00:00Z",
  "a year with a sign": "+010000-01-01T00:00:00Z",
  "an HTTP date": "Sat, 31 Jan 2090 12:00:00 GMT",
  "surrounded by spaces": " 2090-01-31T12:00:00Z ",
});

export const invalidRateLimits: InvalidKey[] = [
  ...withInvalid("rateLimit", {
    "a number": 10,
    "a string": "10/60",
    "a list": [10, 60],
    false: false,
    "an object with an unknown member": { requests: 10, seconds: 60, burst: 5 },
  }),
  {
    name: "an empty rateLimit",
    body: { ...valid, rateLimit: {} },
    pointers: rateLimitPointers("requests", "seconds"),
  },
  {
    name: "a rate limit without seconds",
    body: { ...valid, rateLimit: { requests: 1 } },
    pointers: rateLimitPointers("seconds"),
  },
  {
    name: "a rate limit without requests",
    body: { ...valid, rateLimit: { seconds: 1 } },
    pointers: rateLimitPointers("requests"),
  },
  ...[0, -1, 1.5, 1_000_001, "10", null, true].map((requests) => ({
    name: `a rate limit of ${requests} requests (${typeof requests})`,
    body: { ...valid, rateLimit: { requests, seconds: 60 } },
    pointers: rateLimitPointers("requests"),
  })),
  ...[0, -1, 0.5, 86_401, "60", null, true].map((seconds) => ({
    name: `a rate limit in ${seconds} seconds (${typeof seconds})`,
    body: { ...valid, rateLimit: { requests: 10, seconds } },
    pointers: rateLimitPointers("seconds"),
  })),
];

export const invalidQuotas: InvalidKey[] = withInvalid("quota", {
  zero: 0,
  negative: -1,
  "a fraction": 1.5,
  "too large": 1_000_000_000_001,
  "a string": "100",
  true: true,
  "a list": [100],
  "an object": {},
});

export const invalidReplacements: InvalidKey[] = [
  ...withInvalid(
    "replaces",
    {
      zero: 0,
      negative: -1,
      "a fraction": 1.5,
      "too large": 2 ** 53,
      "a string": "1",
      null: null,
      true: true,
      "a list": [1],
      "an unknown id": 999_999,
    },
    { graceSeconds: 0 },
  ),
  ...withInvalid("graceSeconds", { "sent without replaces": 0 }),
  ...withInvalid(
    "graceSeconds",
    {
      negative: -1,
      "a fraction": 0.5,
      "over 30 days": 30 * 86_400 + 1,
      "a string": "60",
      null: null,
      true: true,
    },
    { replaces: 1 },
  ),
  { name: "replaces without graceSeconds", body: { replaces: 1 }, pointers: ["/graceSeconds"] },
];

export const unknownFields: InvalidKey[] = [
  ...["key", "id", "prefix", "createdAt", "revokedAt", "usage", "scope", "Name", "toString"].map((field) => ({
    name: `the field ${field}`,
    body: { ...valid, [field]: "x" },
    pointers: [`/${field}`],
  })),
  {
    name: "the field __proto__",
    body: JSON.parse('{"name":"ci","scopes":["users:read"],"__proto__":{"quota":1}}'),
    pointers: ["/__proto__"],
  },
  {
    name: "a field with a slash and a tilde in its name",
    body: { ...valid, "a/b~c": 1 },
    pointers: ["/a~1b~0c"],
  },
  { name: "a field with an empty name", body: { ...valid, "": 1 }, pointers: ["/"] },
];

export const severalErrors: InvalidKey[] = [
  { name: "an empty object", body: {}, pointers: ["/name", "/scopes"] },
  {
    name: "a body with everything wrong",
    body: {
      name: " ",
      scopes: ["all"],
      expiresAt: "never",
      rateLimit: { requests: 0, seconds: 0 },
      quota: 0,
      replaces: 0,
      graceSeconds: -1,
      admin: true,
    },
    pointers: [
      ...["/admin", "/expiresAt", "/graceSeconds", "/name", "/quota"],
      ...["/rateLimit/requests", "/rateLimit/seconds", "/replaces", "/scopes"],
    ],
  },
  {
    name: "a replacement with invalid fields",
    body: { replaces: 1, graceSeconds: 0, quota: -1, scopes: [] },
    pointers: ["/quota", "/scopes"],
  },
];

function rateLimitPointers(...members: string[]): string[] {
  return members.map((member) => `/rateLimit/${member}`);
}
