import { keyFields, keyLimits, type Scope, scopes } from "../contract/key.ts";
import type { RateLimit } from "../contract/key-schemas.ts";
import { appendPointer, checkNameText, isObject } from "./check-user.ts";
import { FieldErrors } from "./field-errors.ts";
import { ProblemError } from "./problem-error.ts";

/** What a caller wants of a new key; what it has not said is not there. */
export interface KeyRequest {
  readonly name?: string;
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: number | null;
  readonly rateLimit?: RateLimit | null;
  readonly quota?: number | null;
  readonly replaces?: { readonly id: number; readonly graceSeconds: number };
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;
/** No calendar that people use has more digits for its years. */
export const LATEST_EXPIRY = Date.UTC(9999, 11, 31);

/** The key that a body describes. Fails with `invalid-key` and every fault at once. */
export function checkKey(body: unknown, now: number): KeyRequest {
  if (!isObject(body)) {
    throw new ProblemError("invalid-key", "The body is JSON, but not an object.", [
      { pointer: "", detail: "Send an object with a name and scopes." },
    ]);
  }
  const faults = new FieldErrors();
  for (const field of Object.keys(body)) {
    if (!keyFields.some((known) => known === field)) {
      faults.add(appendPointer("", field.slice(0, 64)), "A key has no such field: leave it out.");
    }
  }
  const said = (field: (typeof keyFields)[number]) => Object.hasOwn(body, field);
  const replaces = said("replaces");
  if (!said("name") && !replaces) faults.add("/name", "A key needs a name: say what it is for.");
  if (!said("scopes") && !replaces) faults.add("/scopes", `Say what it may do: ${scopes.join(", ")}.`);
  if (!replaces && said("graceSeconds")) faults.add("/graceSeconds", "It goes with replaces.");
  const wish = {
    ...(said("name") && { name: checkName(body.name, faults) }),
    ...(said("scopes") && { scopes: checkScopes(body.scopes, faults) }),
    ...(said("expiresAt") && { expiresAt: checkExpiry(body.expiresAt, now, faults) }),
    ...(said("rateLimit") && { rateLimit: checkRateLimit(body.rateLimit, faults) }),
    ...(said("quota") && { quota: checkQuota(body.quota, faults) }),
    ...(replaces && {
      replaces: {
        id: checkInteger(body.replaces, "/replaces", 1, Number.MAX_SAFE_INTEGER, faults),
        graceSeconds: checkInteger(body.graceSeconds, "/graceSeconds", 0, keyLimits.graceSeconds, faults),
      },
    }),
  };
  faults.throwIfAny("invalid-key");
  return wish;
}

function checkName(value: unknown, faults: FieldErrors): string {
  if (typeof value === "string" && !value.isWellFormed()) {
    return faults.add("/name", "Text may not hold half of a surrogate pair.") ?? "";
  }
  return checkNameText(value, keyLimits.nameCharacters, faults);
}

function checkScopes(value: unknown, faults: FieldErrors): Scope[] {
  const wrong = `It is a list of ${scopes.join(", ")}: each at most once, and at least one.`;
  if (!Array.isArray(value) || value.length === 0 || value.length > scopes.length) {
    return faults.add("/scopes", wrong) ?? [];
  }
  if (new Set(value).size < value.length || !value.every((scope) => scopes.includes(scope))) {
    faults.add("/scopes", wrong);
  }
  return scopes.filter((scope) => value.includes(scope));
}

function checkExpiry(value: unknown, now: number, faults: FieldErrors): number | null {
  if (value === null) return null;
  const time = typeof value === "string" && isTimestamp(value) ? Date.parse(value) : Number.NaN;
  if (!(time > now && time <= LATEST_EXPIRY)) {
    faults.add("/expiresAt", "It is a moment to come, such as 2030-01-31T12:00:00Z, or null for never.");
  }
  return time;
}

/** `Date.parse` takes the 31st of any month for a day of the next. */
function isTimestamp(text: string): boolean {
  const [, day] = TIMESTAMP.exec(text) ?? [];
  const time = Date.parse(day ?? "");
  return day !== undefined && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

function checkRateLimit(value: unknown, faults: FieldErrors): RateLimit | null {
  if (value === null) return null;
  if (!isObject(value) || Object.keys(value).some((key) => key !== "requests" && key !== "seconds")) {
    return faults.add("/rateLimit", 'It is like {"requests": 10, "seconds": 60}, or null.') ?? null;
  }
  return {
    requests: checkInteger(value.requests, "/rateLimit/requests", 1, keyLimits.requests, faults),
    seconds: checkInteger(value.seconds, "/rateLimit/seconds", 1, keyLimits.seconds, faults),
  };
}

function checkQuota(value: unknown, faults: FieldErrors): number | null {
  return value === null ? null : checkInteger(value, "/quota", 1, keyLimits.quota, faults);
}

function checkInteger(
  value: unknown,
  pointer: string,
  low: number,
  high: number,
  faults: FieldErrors,
): number {
  const fits = typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
  return fits ? value : (faults.add(pointer, `It is a whole number from ${low} to ${high}.`) ?? low);
}
