/** A body of POST /api/keys that is refused, and what its faults point at. */
export interface InvalidKey {
  /** As the subject of a sentence. */
  readonly name: string;
  readonly body: unknown;
  readonly pointers: readonly string[];
}

const good = { name: "ci", scopes: ["users:read"] };

/** Each of these as the value of one field, beside what is good. */
const wrong = (
  field: string,
  values: Readonly<Record<string, unknown>>,
  beside: object = good,
): InvalidKey[] =>
  Object.entries(values).map(([name, value]) => ({
    name: `${field} that is ${name}`,
    body: { ...beside, [field]: value },
    pointers: [`/${field}`],
  }));

export const notObjects: InvalidKey[] = Object.entries({
  null: null,
  "a list": [good],
  "a string": "ci",
  "a number": 7,
  "true or false": true,
}).map(([name, body]) => ({ name: `a body that is ${name}`, body, pointers: [""] }));

export const invalidNames: InvalidKey[] = [
  { name: "no name", body: { scopes: ["users:read"] }, pointers: ["/name"] },
  ...wrong("name", {
    null: null,
    "a number": 7,
    "a list": ["ci"],
    "an object": { name: "ci" },
    empty: "",
    "all spaces": " \u00a0\t ",
    "over 100 characters": "n".repeat(101),
    "of two lines": "a\nb",
    "cut by NUL": "a\u0000b",
    "half a character": "a\ud800b",
  }),
];

export const invalidScopes: InvalidKey[] = [
  { name: "no scopes", body: { name: "ci" }, pointers: ["/scopes"] },
  ...wrong("scopes", {
    null: null,
    "a string": "users:read",
    "an object": { "users:read": true },
    empty: [],
    "one that there is not": ["users:admin"],
    "good but for one": ["users:read", "keys:read"],
    "in capitals": ["USERS:READ"],
    "all of them by a star": ["*"],
    "the same twice": ["users:read", "users:read"],
    "more than there are": ["users:read", "users:write", "keys:manage", "users:read"],
    "a list of lists": [["users:read"]],
    "a list of null": [null],
    "a member of every list": ["constructor"],
  }),
];

export const invalidExpiries: InvalidKey[] = wrong("expiresAt", {
  empty: "",
  "a word": "tomorrow",
  "a number": Date.now() + 60_000,
  false: false,
  "an object": {},
  "a moment that has passed": "2020-01-31T12:00:00Z",
  "this very moment, once it is read": new Date().toISOString(),
  "a day": "2090-01-31",
  "a time without a zone": "2090-01-31T12:00:00",
  "a day that no month has": "2090-02-31T12:00:00Z",
  "a leap day of a year without": "2090-02-29T12:00:00Z",
  "a month that no year has": "2090-13-01T12:00:00Z",
  "an hour that no day has": "2090-01-31T24:00:00Z",
  "a minute that no hour has": "2090-01-31T12:60:00Z",
  "a zone that is nowhere": "2090-01-31T12:00:00+99:00",
  "a year of five digits": "10000-01-01T00:00:00Z",
  "a year with a sign": "+010000-01-01T00:00:00Z",
  "in words": "Sat, 31 Jan 2090 12:00:00 GMT",
  "between spaces": " 2090-01-31T12:00:00Z ",
});

export const invalidRateLimits: InvalidKey[] = [
  ...wrong("rateLimit", {
    "a number": 10,
    "a string": "10/60",
    "a list": [10, 60],
    false: false,
    "of an unknown member": { requests: 10, seconds: 60, burst: 5 },
  }),
  { name: "an empty rateLimit", body: { ...good, rateLimit: {} }, pointers: rateOf("requests", "seconds") },
  { name: "a rate in no time", body: { ...good, rateLimit: { requests: 1 } }, pointers: rateOf("seconds") },
  { name: "a rate of nothing", body: { ...good, rateLimit: { seconds: 1 } }, pointers: rateOf("requests") },
  ...[0, -1, 1.5, 1_000_001, "10", null, true].map((requests) => ({
    name: `a rate of ${requests} requests, a ${typeof requests},`,
    body: { ...good, rateLimit: { requests, seconds: 60 } },
    pointers: rateOf("requests"),
  })),
  ...[0, -1, 0.5, 86_401, "60", null, true].map((seconds) => ({
    name: `a rate in ${seconds} seconds, a ${typeof seconds},`,
    body: { ...good, rateLimit: { requests: 10, seconds } },
    pointers: rateOf("seconds"),
  })),
];

export const invalidQuotas: InvalidKey[] = wrong("quota", {
  zero: 0,
  "less than nothing": -1,
  "not whole": 1.5,
  "past all bounds": 1_000_000_000_001,
  "a string": "100",
  true: true,
  "a list": [100],
  "an object": {},
});

export const invalidReplacements: InvalidKey[] = [
  ...wrong(
    "replaces",
    {
      zero: 0,
      "less than nothing": -1,
      "not whole": 1.5,
      "past all bounds": 2 ** 53,
      "a string": "1",
      null: null,
      true: true,
      "a list": [1],
      "the id of no key": 999_999,
    },
    { graceSeconds: 0 },
  ),
  ...wrong("graceSeconds", { alone: 0 }),
  ...wrong(
    "graceSeconds",
    {
      "less than nothing": -1,
      "not whole": 0.5,
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
    body: { ...good, [field]: "x" },
    pointers: [`/${field}`],
  })),
  {
    name: "the field __proto__",
    body: JSON.parse('{"name":"ci","scopes":["users:read"],"__proto__":{"quota":1}}'),
    pointers: ["/__proto__"],
  },
  {
    name: "a field with a slash and a tilde in its name",
    body: { ...good, "a/b~c": 1 },
    pointers: ["/a~1b~0c"],
  },
  { name: "a field without a name", body: { ...good, "": 1 }, pointers: ["/"] },
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
    name: "a successor with a fault of its own",
    body: { replaces: 1, graceSeconds: 0, quota: -1, scopes: [] },
    pointers: ["/quota", "/scopes"],
  },
];

function rateOf(...members: string[]): string[] {
  return members.map((member) => `/rateLimit/${member}`);
}
