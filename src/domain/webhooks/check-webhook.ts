import { matchEventTypes } from "../../contract/events/event.ts";
import { appendPointer, isObject } from "../../contract/json.ts";
import { webhookFields, webhookLimits } from "../../contract/webhooks/webhook.ts";
import { FieldErrors } from "../field-errors.ts";
import { FilterSyntaxError } from "../filter/filter-syntax-error.ts";
import { parseRecordExpression } from "../filter/parse-expression.ts";
import { countCharacters } from "../filter/scanner.ts";
import { isPublicAddress, literalAddress } from "../ip-address.ts";
import { ProblemError } from "../problem-error.ts";
import type { WebhookSettings } from "./webhook-store.ts";

/** Parses the body of POST /api/webhooks. Fails with `invalid-webhook` and every error at once. */
export function checkWebhook(body: unknown, allowPrivate: boolean): WebhookSettings {
  const errors = new FieldErrors();
  const { url, types, ...rest } = checkFields(body, allowPrivate, errors);
  if (url === undefined && !has(body, "url")) errors.add("/url", "A URL is required.");
  if (types === undefined && !has(body, "types")) errors.add("/types", invalidTypes);
  errors.throwIfAny("invalid-webhook");
  return { description: "", filter: null, active: true, ...rest, url: url ?? "", types: types ?? [] };
}

/** Parses the body of PATCH. Fails with `invalid-webhook` and every error at once. */
export function checkWebhookPatch(body: unknown, allowPrivate: boolean): Partial<WebhookSettings> {
  const errors = new FieldErrors();
  const change = checkFields(body, allowPrivate, errors);
  errors.throwIfAny("invalid-webhook");
  return change;
}

function has(body: unknown, field: (typeof webhookFields)[number]): boolean {
  return isObject(body) && Object.hasOwn(body, field);
}

/** The fields that the body has. */
function checkFields(body: unknown, allowPrivate: boolean, errors: FieldErrors): Partial<WebhookSettings> {
  if (!isObject(body)) {
    throw new ProblemError("invalid-webhook", "The request body must be a JSON object.", [
      { pointer: "", detail: "Send an object with url and types." },
    ]);
  }
  for (const field of Object.keys(body)) {
    if (!webhookFields.some((name) => name === field)) {
      errors.add(appendPointer("", field.slice(0, 64)), "Callers cannot write such a field. Remove it.");
    }
  }
  return {
    ...(has(body, "url") && { url: checkUrl(body.url, allowPrivate, errors) }),
    ...(has(body, "types") && { types: checkTypes(body.types, errors) }),
    ...(has(body, "description") && { description: checkDescription(body.description, errors) }),
    ...(has(body, "active") && { active: checkActive(body.active, errors) }),
    ...(has(body, "filter") && { filter: checkFilter(body.filter, errors) }),
  };
}

/** Spaces, control characters and halves of surrogate pairs. `URL` ignores some of them. */
const INVALID_IN_URL = /[\s\p{Cc}\p{Cs}]/u;

function checkUrl(value: unknown, allowPrivate: boolean, errors: FieldErrors): string {
  const fail = (detail: string) => errors.add("/url", detail) ?? "";
  if (typeof value !== "string" || value === "") return fail("Enter a URL, like https://hooks.example.com/.");
  if (value.length > webhookLimits.urlCharacters && countCharacters(value) > webhookLimits.urlCharacters)
    return fail(`The URL must not be longer than ${webhookLimits.urlCharacters} characters.`);
  const url = INVALID_IN_URL.test(value) ? null : URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol))
    return fail("Enter an https: URL, like https://hooks.example.com/.");
  if (url.username !== "" || url.password !== "")
    return fail("The URL must not contain a user name or a password: verify the signature instead.");
  const address = literalAddress(url);
  const isPrivate = address === undefined ? isLocalName(url.hostname) : !isPublicAddress(address);
  if (isPrivate && !allowPrivate)
    return fail(
      "The URL must not lead to a private or local address, unless the service has ROSTER_WEBHOOK_PRIVATE=allow.",
    );
  // A name can have private addresses: each delivery checks them.
  const mayBePrivate = isPrivate || address === undefined;
  if (url.protocol === "http:" && !(allowPrivate && mayBePrivate)) return fail("The URL must use https.");
  return value;
}

function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}

const invalidTypes = `Send an array of 1 to ${webhookLimits.types} different types, such as user.created, user.* or *.`;

function checkTypes(value: unknown, errors: FieldErrors): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > webhookLimits.types) {
    return errors.add("/types", invalidTypes) ?? [];
  }
  if (new Set(value).size < value.length) errors.add("/types", invalidTypes);
  for (const [index, pattern] of value.entries()) {
    if (typeof pattern !== "string" || (pattern !== "*" && matchEventTypes(pattern).length === 0)) {
      errors.add(
        `/types/${index}`,
        "Use a type such as user.created, user.* for all types of a subject, or *.",
      );
    }
  }
  return value;
}

function checkDescription(value: unknown, errors: FieldErrors): string {
  const { descriptionCharacters } = webhookLimits;
  if (value === null) return "";
  const isValid = typeof value === "string" && value.isWellFormed() && !/\p{Cc}/u.test(value);
  if (isValid && countCharacters(value) <= descriptionCharacters) return value;
  const detail = `Enter at most ${descriptionCharacters} characters, without control characters.`;
  return errors.add("/description", detail) ?? "";
}

function checkActive(value: unknown, errors: FieldErrors): boolean {
  return typeof value === "boolean" ? value : (errors.add("/active", "Send true or false.") ?? false);
}

function checkFilter(value: unknown, errors: FieldErrors): string | null {
  if (value === null) return null;
  if (typeof value !== "string" || !value.isWellFormed())
    return errors.add("/filter", "Send a filter expression as text, or null.") ?? null;
  try {
    parseRecordExpression(value);
    return value;
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    return errors.add("/filter", error.message, error.position) ?? null;
  }
}
