import type { Flag } from "../../config/flag.ts";
import { parseRate } from "../../config/parsers.ts";
import { keyLimits, scopes } from "../../contract/key.ts";
import type { KeyInput } from "../../contract/key-schemas.ts";
import { checkKey } from "../../domain/check-key.ts";
import { parseDuration } from "../output/duration.ts";

const DURATIONS = "90s, 15m, 1h or 30d";

/** A key as a command describes it, by the names of its fields in the API. */
export const keyFlags = {
  name: {
    flag: "name",
    takes: `what the key is for, in 1 to ${keyLimits.nameCharacters} characters on one line`,
    about: "What the key is for.",
    parse: (text) => checked("name", text),
  },
  scopes: {
    flag: "scope",
    form: "list",
    choices: [...scopes, "all"],
    takes: `${scopes.join(", ")}, several with commas between, or all`,
    about: `What it may do: ${scopes.join(", ")}, or all of it.`,
    parse: (text) => checked("scopes", parseScopes(text)),
  },
  expiresAt: {
    flag: "expires",
    default: "never",
    takes: `how long it is good for, such as ${DURATIONS}, a moment to come, such as 2030-01-31T12:00:00Z, or never`,
    about: `When it ends by itself: after ${DURATIONS}, or at 2030-01-31T12:00:00Z.`,
    parse: (text) => checked("expiresAt", text === "never" ? null : parseMoment(text)),
  },
  rateLimit: {
    flag: "rate",
    default: "service",
    takes: "requests / seconds, such as 10/60, or service for the one that the service has",
    about: "How many requests it may send in how many seconds, such as 10/60.",
    parse: (text) => checked("rateLimit", text === "service" ? null : parseRate(text)),
  },
  quota: {
    flag: "quota",
    default: "none",
    takes: `a whole number from 1 to ${keyLimits.quota}, or none`,
    about: "How many calls it may make in a calendar month (UTC).",
    parse: (text) => checked("quota", text === "none" ? null : parseWhole(text)),
  },
} as const satisfies Partial<Record<keyof KeyInput, Flag<unknown>>>;

const SAME = "same";

/** What is not said, or said to be the same, is left to the key that is replaced. */
function orSame(flag: Flag<unknown>): Flag<unknown> {
  return {
    ...flag,
    default: SAME,
    takes: `${flag.takes}, or ${SAME}`,
    parse: (text) => (text === SAME ? undefined : flag.parse(text)),
  };
}

/** A key in the place of another. */
export const replacementFlags = {
  name: orSame(keyFlags.name),
  scopes: orSame(keyFlags.scopes),
  expiresAt: orSame(keyFlags.expiresAt),
  rateLimit: orSame(keyFlags.rateLimit),
  quota: orSame(keyFlags.quota),
  graceSeconds: {
    flag: "grace",
    default: "1h",
    takes: `how long the old key goes on, such as ${DURATIONS}, or 0s to end it now; at most ${keyLimits.graceSeconds / 86_400}d`,
    about: "How long the old key goes on; 0s ends it now.",
    parse: (text) => checked("graceSeconds", parseDuration(text) / 1000),
  },
} as const satisfies Partial<Record<keyof KeyInput, Flag<unknown>>>;

export const idFlag = {
  flag: "id",
  form: "word",
  takes: "the id of a key, as `roster keys list` shows it",
  about: "Which key: its id, as `roster keys list` shows it.",
  parse: (text) => {
    const id = parseWhole(text);
    checked("replaces", id);
    return id;
  },
} as const satisfies Flag<number>;

/** What the API refuses in this field, the flag refuses. */
function checked(field: keyof KeyInput, value: unknown): unknown {
  checkKey({ replaces: 1, graceSeconds: 0, [field]: value }, Date.now());
  return value;
}

function parseScopes(text: string): readonly string[] {
  const given = [...new Set(text.split(",").map((scope) => scope.trim()))];
  return given.includes("all") && given.every((scope) => scope === "all" || isScope(scope)) ? scopes : given;
}

function isScope(text: string): boolean {
  return scopes.some((scope) => scope === text);
}

function parseMoment(text: string): string {
  return /^\d+[a-z]$/.test(text) ? new Date(Date.now() + parseDuration(text)).toISOString() : text;
}

function parseWhole(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}
