import { readFileSync } from "node:fs";
import { scopes } from "../../src/contract/key.ts";
import { createSecret } from "../../src/contract/key-secret.ts";
import { certificateFile } from "../support/paths.ts";
import type { TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** A certificate for localhost and its key, as settings, and whom to trust for it. */
export const testTls = {
  settings: { tlsCert: certificateFile("server.crt"), tlsKey: certificateFile("server.key") },
  ca: readFileSync(certificateFile("authority.crt"), "utf8"),
} as const;

/** A key of the right form that no service knows. */
export const unknownKey = createSecret();

/** Who a request comes from, in the headers that a browser sends for the service's own pages. */
export const sameOrigin = { "sec-fetch-site": "same-origin" } as const;

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** In the order in which they came. */
  readonly attributes: readonly string[];
  /** As the browser sends it back. */
  readonly pair: string;
}

/** What the answer gives the browser to keep, if anything. */
export function parseCookie({ headers }: Response): Cookie | undefined {
  const [cookie, ...more] = headers.getSetCookie();
  if (cookie === undefined) return undefined;
  if (more.length > 0) throw new Error(`There is more than one cookie: ${more}`);
  const [pair = "", ...attributes] = cookie.split("; ");
  const [name = "", ...value] = pair.split("=");
  return { name, value: value.join("="), attributes, pair };
}

/** Trades the key for a cookie, which it gives as `Cookie` wants it. */
export async function signIn(
  service: TestService,
  key: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await service.send("POST", "/api/session", { key }, { ...sameOrigin, ...headers });
  const cookie = parseCookie(answer);
  if (answer.status !== 200 || !cookie) throw new Error(`${answer.status} ${await answer.text()}`);
  return cookie.pair;
}

/** The first key of a service that is still open: from then on it asks for one. */
export async function createFirstKey(service: TestService): Promise<string> {
  return (await service.roster.keys.create({ name: "first", scopes: [...scopes] })).key;
}

/** How a request ended: "200", or the problem, such as "403 cross-site". */
export async function describeResponse(answer: Response): Promise<string> {
  if (answer.headers.get("content-type") !== "application/problem+json") return String(answer.status);
  const { type }: { type: string } = await answer.json();
  return `${answer.status} ${type.replace("/problems/", "")}`;
}

/** Repeats a request until it ends as expected: a node learns about changes of other nodes within a second. */
export async function waitForResponse(wanted: string, ask: () => Promise<Response>): Promise<void> {
  let got = "";
  await until(
    async () => {
      got = await describeResponse(await ask());
      return got === wanted;
    },
    () => `${wanted}, but the last response is ${got}`,
  );
}
