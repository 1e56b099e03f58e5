import type { KeyInput, Scope } from "../../client/index.ts";
import { newKey as texts } from "../texts/index.ts";

/** The form's input for a new key. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiry: Expiry;
  /** The last day if `expiry` is "day", such as 2030-01-31. */
  readonly day: string;
  readonly requests: string;
  readonly seconds: string;
  readonly quota: string;
}

export const expiries = ["never", "30", "90", "365", "day"] as const;
type Expiry = (typeof expiries)[number];

const DAY = 86_400_000;

type ParsedKeyDraft =
  | { readonly input: KeyInput; readonly errors?: undefined }
  | { readonly errors: Readonly<Record<string, string>> };

/** The request body, or the errors that make one impossible. The service checks everything else. */
export function parseKeyDraft(draft: KeyDraft, now = Date.now()): ParsedKeyDraft {
  const errors: Record<string, string> = {};
  const { name, scopes } = draft;
  const expiresAt = parseExpiry(draft, now);
  if (expiresAt === undefined) errors.expiresAt = texts.noDay;
  const quota = parseInteger(draft.quota);
  if (Number.isNaN(quota)) errors.quota = texts.noNumber;
  const requests = parseInteger(draft.requests);
  const seconds = parseInteger(draft.seconds) ?? Number.NaN;
  if (requests !== null && Number.isNaN(requests + seconds)) errors.rateLimit = texts.noNumber;
  if (expiresAt === undefined || Object.keys(errors).length > 0) return { errors };
  const rateLimit = requests === null ? null : { requests, seconds };
  return { input: { name: name.trim(), scopes, expiresAt, rateLimit, quota } };
}

/** Undefined if the chosen day is missing or not a valid date. */
function parseExpiry({ expiry, day }: KeyDraft, now: number): string | null | undefined {
  if (expiry === "never") return null;
  const end = expiry === "day" ? Date.parse(`${day}T23:59:59`) : now + Number(expiry) * DAY;
  return Number.isNaN(end) ? undefined : new Date(end).toISOString();
}

/** Null if empty, NaN if not a whole number. */
function parseInteger(text: string): number | null {
  const digits = text.replace(/\s/g, "");
  if (digits === "") return null;
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
}
