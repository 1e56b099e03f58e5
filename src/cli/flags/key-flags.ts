import type { Flag } from "../../config/flag.ts";
import { parseRate } from "../../config/parsers.ts";
import { keyLimits, scopeGroups, scopes } from "../../contract/keys/key.ts";
import type { KeyInput } from "../../contract/keys/key-schemas.ts";
import { checkKey } from "../../domain/keys/check-key.ts";
import { parseDuration } from "../output/duration.ts";

const groups = new Map<string, readonly string[]>(Object.entries(scopeGroups));
const scopeNames = [...scopes, ...groups.keys()];
const DURATIONS = "90s, 15m, 1h or 30d";

/** Flags for the fields of a key, by their names in the API. */
export const keyFlags = {
  name: {
    flag: "name",
    takes: `a name of 1 to ${keyLimits.nameCharacters} characters on one line`,
    about: "What the key is for.",
    parse: (text) => checked("name", text),
  },
  scopes: {
    flag: "scope",
    form: "list",
    choices: scopeNames,
    takes: `one or more of ${scopeNames.join(", ")}, separated by commas`,
    about: `What the key may do: ${scopes.join(", ")}. scim: read and write users and groups, as SCIM does. all: everything.`,
    parse: (text) => checked("scopes", parseScopes(text)),
  },
  expiresAt: {
    flag: "expires",
    default: "never",
    takes: `a duration such as ${DURATIONS}, a future time such as 2030-01-31T12:00:00Z, or never`,
    about: `When the key expires: after ${DURATIONS}, or at 2030-01-31T12:00:00Z.`,
    parse: (text) => checked("expiresAt", text === "never" ? null : parseTime(text)),
  },
  rateLimit: {
    flag: "rate",
    default: "service",
    takes: "requests/seconds, such as 10/60, or service for the default of the service",
    about: "Rate limit: requests/seconds, such as 10/60.",
    parse: (text) => checked("rateLimit", text === "service" ? null : parseRate(text)),
  },
  quota: {
    flag: "quota",
    default: "none",
    takes: `a whole number from 1 to ${keyLimits.quota}, or none`,
    about: "Monthly quota: requests per calendar month (UTC).",
    parse: (text) => checked("quota", text === "none" ? null : parseWholeNumber(text)),
  },
} as const satisfies Partial<Record<keyof KeyInput, Flag<unknown>>>;

const SAME = "same";

/** Makes a flag optional: without a value, or with `same`, the new key copies the old key. */
function orSame(flag: Flag<unknown>): Flag<unknown> {
  return {
    ...flag,
    default: SAME,
    takes: `${flag.takes}, or ${SAME}`,
    parse: (text, source) => (text === SAME ? undefined : flag.parse(text, source)),
  };
}

/** Flags of `keys replace`. */
export const replacementFlags = {
  name: orSame(keyFlags.name),
  scopes: orSame(keyFlags.scopes),
  expiresAt: orSame(keyFlags.expiresAt),
  rateLimit: orSame(keyFlags.rateLimit),
  quota: orSame(keyFlags.quota),
  graceSeconds: {
    flag: "grace",
    default: "1h",
    takes: `a duration such as ${DURATIONS}, or 0s to expire the old key now; at most ${keyLimits.graceSeconds / 86_400}d`,
    about: "How long the old key stays active. With 0s, it expires now.",
    parse: (text) => checked("graceSeconds", parseDuration(text) / 1000),
  },
} as const satisfies Partial<Record<keyof KeyInput, Flag<unknown>>>;

export const idFlag = {
  flag: "id",
  form: "word",
  takes: "the id of a key, as `roster keys list` shows it",
  about: "The id of the key: see `roster keys list`.",
  parse: (text) => {
    const id = parseWholeNumber(text);
    checked("replaces", id);
    return id;
  },
} as const satisfies Flag<number>;

/** Applies the same check as the API. */
function checked(field: keyof KeyInput, value: unknown): unknown {
  checkKey({ replaces: 1, graceSeconds: 0, [field]: value }, Date.now());
  return value;
}

/** The scopes of the text, each once. What is neither a scope nor a group stays, and the check refuses it. */
function parseScopes(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...new Set(names.flatMap((name) => groups.get(name) ?? [name]))];
}

function parseTime(text: string): string {
  return /^\d+[a-z]$/.test(text) ? new Date(Date.now() + parseDuration(text)).toISOString() : text;
}

function parseWholeNumber(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}
