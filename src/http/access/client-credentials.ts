import { ProblemError } from "../../domain/problem-error.ts";
import { OAuthError } from "../oauth-error.ts";

/** The id and the secret of a key, as a client of OAuth sends them (RFC 6749, section 2.3.1). */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

/** The parameters of a form, each once. */
export type FormParameters = ReadonlyMap<string, string>;

/** Parameters without a value count as absent (RFC 6749, section 3.2). Throws `invalid_request` for a parameter that is sent twice. */
export function parseForm(text: string): FormParameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw new OAuthError("invalid_request", "Send each parameter only once.");
    parameters.set(name, value);
  }
  return new Map([...parameters].filter(([, value]) => value !== ""));
}

/** Reads the Authorization header or the form. Throws `invalid_request` for both, and `unauthenticated` for none. */
export function readClient({ headers }: Request, form: FormParameters): ClientCredentials {
  const id = form.get("client_id");
  const secret = form.get("client_secret");
  const basic = readBasic(headers.get("authorization"));
  if (!basic) {
    if (id === undefined || secret === undefined) throw noCredentials();
    return { id, secret };
  }
  if (secret !== undefined || (id !== undefined && id !== basic.id)) {
    throw new OAuthError(
      "invalid_request",
      "Send client_id and client_secret in the Authorization header or in the body, not in both.",
    );
  }
  return basic;
}

const BASIC = /^basic(?: |$)/i;

/** Undefined for a header of another scheme: a proxy may need it. */
function readBasic(header: string | null): ClientCredentials | undefined {
  if (header === null || !BASIC.test(header)) return undefined;
  const text = Buffer.from(header.slice("basic ".length), "base64").toString();
  const colon = text.indexOf(":");
  const [id, secret] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)].map(decode);
  if (colon < 0 || !id || !secret) throw noCredentials();
  return { id, secret };
}

/** Both parts are encoded like the values of a form. A part that is not encoded correctly cannot be a key. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function noCredentials(): ProblemError {
  return new ProblemError(
    "unauthenticated",
    "Send the id of a key as client_id and the key as client_secret, in the body or by HTTP Basic.",
  );
}
