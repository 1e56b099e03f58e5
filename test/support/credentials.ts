import { readFileSync } from "node:fs";
import { scopes } from "../../src/contract/key.ts";
import { createSecret } from "../../src/contract/key-secret.ts";
import { certificateFile } from "./paths.ts";
import type { TestService } from "./service.ts";
import { until } from "./until.ts";

/** A TLS certificate for localhost, as settings, and its certificate authority. */
export const testTls = {
  settings: { tlsCert: certificateFile("server.crt"), tlsKey: certificateFile("server.key") },
  ca: readFileSync(certificateFile("authority.crt"), "utf8"),
} as const;

/** A well-formed key that does not exist. */
export const unknownKey = createSecret();

/** The header that a browser sends with requests of the service's own pages. */
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

/** Signs in with a key. Returns the value of the Cookie header. */
export async function signIn(
  service: TestService,
  key: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await service.send("POST", "/api/session", { key }, { ...sameOrigin, ...headers });
  const cookie = parseCookie(response);
  if (response.status !== 200 || !cookie) throw new Error(`${response.status} ${await response.text()}`);
  return cookie.pair;
}

/** Creates the first key of an open service, which then requires a key. */
export async function createFirstKey(service: TestService): Promise<string> {
  return (await service.roster.keys.create({ name: "first", scopes: [...scopes] })).key;
}

/** The status, or the problem, such as "403 cross-site". */
export async function describeResponse(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "application/problem+json") return String(response.status);
  const { type }: { type: string } = await response.json();
  return `${response.status} ${type.replace("/problems/", "")}`;
}

/** Repeats a request until it ends as expected: a node learns about changes of other nodes within a second. */
export async function waitForResponse(expected: string, send: () => Promise<Response>): Promise<void> {
  let actual = "";
  await until(
    async () => {
      actual = await describeResponse(await send());
      return actual === expected;
    },
    () => `${expected}, but the last response is ${actual}`,
  );
}
