import { appendPointer, isObject } from "../../contract/json.ts";
import { keyFields, keyLimits, type Scope, scopes } from "../../contract/keys/key.ts";
import type { RateLimit } from "../../contract/keys/key-schemas.ts";
import { FieldErrors } from "../field-errors.ts";
import { ProblemError } from "../problem-error.ts";
import { checkNameText } from "../records/check-record.ts";

/** The body of POST /api/keys. Omitted fields are absent. */
export interface KeyRequest {
  readonly name?: string;
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: number | null;
  readonly rateLimit?: RateLimit | null;
  readonly quota?: number | null;
  readonly replaces?: { readonly id: number; readonly graceSeconds: number };
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;
/** Timestamps have four digits for the year. */
export const LATEST_EXPIRY = Date.UTC(9999, 11, 31);

/** Parses the body of POST /api/keys. Fails with `invalid-key` and every error at once. */
export function checkKey(body: unknown, now: number): KeyRequest {
  if (!isObject(body)) {
    throw new ProblemError("invalid-key", "The request body must be a JSON object.", [
      { pointer: "", detail: "Send an object with a name and scopes." },
    ]);
  }
  const errors = new FieldErrors();
  for (const field of Object.keys(body)) {
    if (!keyFields.some((name) => name === field)) {
      errors.add(appendPointer("", field.slice(0, 64)), "Keys have no such field. Remove it.");
    }
  }
  const has = (field: (typeof keyFields)[number]) => Object.hasOwn(body, field);
  const replaces = has("replaces");
  if (!has("name") && !replaces) errors.add("/name", "A name is required.");
  if (!has("scopes") && !replaces) errors.add("/scopes", invalidScopes);
  if (!replaces && has("graceSeconds")) errors.add("/graceSeconds", "Send graceSeconds only with replaces.");
  const request = {
    ...(has("name") && { name: checkName(body.name, errors) }),
    ...(has("scopes") && { scopes: checkScopes(body.scopes, errors) }),
    ...(has("expiresAt") && { expiresAt: checkExpiry(body.expiresAt, now, errors) }),
    ...(has("rateLimit") && { rateLimit: checkRateLimit(body.rateLimit, errors) }),
    ...(has("quota") && { quota: checkQuota(body.quota, errors) }),
    ...(replaces && {
      replaces: {
        id: checkInteger(body.replaces, "/replaces", 1, Number.MAX_SAFE_INTEGER, errors),
        graceSeconds: checkInteger(body.graceSeconds, "/graceSeconds", 0, keyLimits.graceSeconds, errors),
      },
    }),
  };
  errors.throwIfAny("invalid-key");
  return request;
}

function checkName(value: unknown, errors: FieldErrors): string {
  if (typeof value === "string" && !value.isWellFormed()) {
    return errors.add("/name", "Text must not contain half of a surrogate pair.") ?? "";
  }
  return checkNameText(value, keyLimits.nameCharacters, errors);
}

const invalidScopes = `Choose one or more of ${scopes.join(", ")}, each at most once.`;

function checkScopes(value: unknown, errors: FieldErrors): Scope[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > scopes.length) {
    return errors.add("/scopes", invalidScopes) ?? [];
  }
  if (new Set(value).size < value.length || !value.every((scope) => scopes.includes(scope))) {
    errors.add("/scopes", invalidScopes);
  }
  return scopes.filter((scope) => value.includes(scope));
}

function checkExpiry(value: unknown, now: number, errors: FieldErrors): number | null {
  if (value === null) return null;
  const time = typeof value === "string" && isTimestamp(value) ? Date.parse(value) : Number.NaN;
  if (!(time > now && time <= LATEST_EXPIRY)) {
    errors.add("/expiresAt", "Enter a time in the future, like 2030-01-31T12:00:00Z, or null for never.");
  }
  return time;
}

/** Also rejects days that do not exist: `Date.parse` reads 31 April as 1 May. */
function isTimestamp(text: string): boolean {
  const [, day] = TIMESTAMP.exec(text) ?? [];
  const time = Date.parse(day ?? "");
  return day !== undefined && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

function checkRateLimit(value: unknown, errors: FieldErrors): RateLimit | null {
  if (value === null) return null;
  if (!isObject(value) || Object.keys(value).some((key) => key !== "requests" && key !== "seconds")) {
    return errors.add("/rateLimit", 'Send an object like {"requests": 10, "seconds": 60}, or null.') ?? null;
  }
  return {
    requests: checkInteger(value.requests, "/rateLimit/requests", 1, keyLimits.requests, errors),
    seconds: checkInteger(value.seconds, "/rateLimit/seconds", 1, keyLimits.seconds, errors),
  };
}

function checkQuota(value: unknown, errors: FieldErrors): number | null {
  return value === null ? null : checkInteger(value, "/quota", 1, keyLimits.quota, errors);
}

function checkInteger(
  value: unknown,
  pointer: string,
  min: number,
  max: number,
  errors: FieldErrors,
): number {
  const isValid = typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
  return isValid ? value : (errors.add(pointer, `Enter a whole number from ${min} to ${max}.`) ?? min);
}
