import type { User } from "../../../client/index.ts";
import { isObject } from "../../../contract/json.ts";

/** One of the addresses of a user. */
export interface ShownEmail {
  readonly address: string;
  /** Such as "work". */
  readonly type: string | undefined;
  readonly isPrimary: boolean;
}

/**
 * The addresses in the field `emails`, which SCIM clients send. Empty if the field is absent, or has other data. The entry without an
 * address is about the email of the user.
 */
export function shownEmails({ email, emails }: User): readonly ShownEmail[] {
  if (!Array.isArray(emails)) return [];
  const shown: ShownEmail[] = [];
  for (const entry of emails) {
    const address = isObject(entry) ? (entry.value ?? email) : undefined;
    if (!isObject(entry) || typeof address !== "string") return [];
    const { type, primary } = entry;
    shown.push({ address, type: typeof type === "string" ? type : undefined, isPrimary: primary === true });
  }
  const hasEmail = email === undefined || shown.some(({ address }) => address === email);
  return hasEmail ? shown : [{ address: email, type: undefined, isPrimary: false }, ...shown];
}
