import { randomBytes } from "node:crypto";
import { scopes } from "../../src/contract/keys/key.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import type { Callable } from "./call.ts";
import type { TestService } from "./service.ts";

/** A well-formed key that does not exist. */
export const unknownKey = createSecret();

/** The header of a request with an API key. */
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The header that a browser sends with requests from the service's pages. */
export const sameOrigin = { "sec-fetch-site": "same-origin" } as const;

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** In the order of the header. */
  readonly attributes: readonly string[];
  /** Name and value, as in the Cookie header. */
  readonly pair: string;
}

/** Parses the Set-Cookie header, if there is one. */
export function parseCookie({ headers }: Response): Cookie | undefined {
  const [cookie, ...more] = headers.getSetCookie();
  if (cookie === undefined) return undefined;
  if (more.length > 0) throw new Error(`More than one cookie: ${more}`);
  const [pair = "", ...attributes] = cookie.split("; ");
  const [name = "", ...value] = pair.split("=");
  return { name, value: value.join("="), attributes, pair };
}

/** The headers of a session: a request needs both. */
export interface SessionHeaders extends Record<string, string> {
  readonly cookie: string;
  readonly "x-session-token": string;
}

/** Signs in with a key. Returns the headers of the session. */
export async function signIn(
  service: Callable,
  key: string,
  headers: Record<string, string> = {},
): Promise<SessionHeaders> {
  const response = await service.call("/api/session", {
    method: "POST",
    json: { key },
    headers: { ...sameOrigin, ...headers },
  });
  const cookie = parseCookie(response);
  if (response.status !== 200 || !cookie) throw new Error(`${response.status} ${await response.text()}`);
  const { token }: { token: string } = await response.json();
  return { cookie: cookie.pair, "x-session-token": token };
}

/** The headers of a session that does not exist. Its token belongs to its cookie. */
export function unknownSession(): SessionHeaders {
  const value = randomBytes(32).toString("base64url");
  const token = randomBytes(32).toString("base64url") + Bun.SHA256.hash(value, "base64url");
  return { cookie: `roster_session_3000=${value}`, "x-session-token": token };
}

/** Signs in with a key. Returns the headers that a browser sends in the new session. */
export async function startSession(service: Callable, key: string): Promise<Record<string, string>> {
  return { ...sameOrigin, ...(await signIn(service, key)) };
}

/** Gets an access token of a key. */
export async function issueToken(
  service: Callable,
  { id, key }: { readonly id: number; readonly key: string },
): Promise<string> {
  const body = `grant_type=client_credentials&client_id=${id}&client_secret=${key}`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await service.call("/oauth/token", { method: "POST", body, headers });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const { access_token: token }: { access_token: string } = await response.json();
  return token;
}

/** Creates the first key of an open service, which then requires a key. */
export async function createFirstKey(service: TestService): Promise<string> {
  const { key } = await service.clock.skipTo(
    service.roster.keys.create({ name: "first", scopes: [...scopes] }),
  );
  return key;
}
