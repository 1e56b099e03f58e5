import { type Config, isLoopback } from "../../config/config.ts";
import { reachableHost } from "../../config/reachable-host.ts";
import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { scopeGroups } from "../../contract/keys/key.ts";
import { SCIM_PREFIX } from "../../contract/scim/scim.ts";
import { printable } from "../output/printable.ts";
import type { Profile } from "../profiles.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const WAIT_MS = 5000;
/** Characters of a text that another server chose: the terminal shows it. */
const MAX_EXCERPT = 200;

/** Which service is checked, and with which key. */
interface Target extends Profile {
  readonly of: "profile" | "public URL" | "this machine";
}

/**
 * Checks what an identity provider needs: SCIM at the URL of a profile, with its key; without a profile, at the public URL, or at the
 * service on this machine. Finds nothing if no service runs on this machine: the check of the port says so.
 */
export async function checkScim(config: Config, profile: Profile | undefined): Promise<Finding[]> {
  if (!profile && config.scim === "off") return [ok("scim", "SCIM is turned off (ROSTER_SCIM=off).")];
  const target = chooseTarget(config, profile);
  if (!target) return [];
  const failure = await checkDiscovery(target);
  const { url, key, insecure, of } = target;
  if (failure) return of === "this machine" ? [] : [failure];
  const isExposed = of !== "this machine" && url.startsWith("http:") && !isLoopback(new URL(url).hostname);
  const encryption = isExposed
    ? [warning("scim", `${url} is not encrypted, and identity providers call only https: use TLS.`)]
    : [];
  if (isExposed && !insecure) return encryption;
  return [...encryption, await (key === undefined ? checkWithoutKey(target) : checkKey(target, key))];
}

/** Only a service on this machine gets ROSTER_API_KEY: the public URL could be that of another service. */
function chooseTarget(config: Config, profile: Profile | undefined): Target | undefined {
  if (profile) return { ...profile, url: withoutSlash(profile.url), of: "profile" };
  const { publicUrl, host, port, tlsCert, apiKey } = config;
  if (publicUrl !== "") return { url: withoutSlash(publicUrl), of: "public URL" };
  if (port === 0) return undefined;
  const url = `${tlsCert === "" ? "http" : "https"}://${reachableHost(host)}:${port}`;
  return { url, of: "this machine", ...(apiKey !== undefined && { key: apiKey }) };
}

/** What is wrong with the document that identity providers read first. Undefined if nothing is. */
async function checkDiscovery(target: Target): Promise<Finding | undefined> {
  const url = `${target.url}${SCIM_PREFIX}/ServiceProviderConfig`;
  const response = await call(target, url);
  if (typeof response === "string") {
    const says = `${url} is not reachable from this machine (${response}): check the URL, the proxy and its certificate.`;
    return target.of === "public URL" ? warning("scim", says) : problem("scim", says);
  }
  const { status, body } = response;
  if (status >= 300 && status < 400)
    return warning(
      "scim",
      `${url} redirects, and identity providers do not follow: give them the URL that it redirects to.`,
    );
  const { meta } = body;
  if (status !== 200 || !isObject(meta))
    return warning(
      "scim",
      `${url} responds with ${status}, not with SCIM: let the proxy pass ${SCIM_PREFIX}, and set ROSTER_SCIM=on.`,
    );
  if (meta.location !== url)
    return warning(
      "scim",
      `Resources of SCIM have URLs like ${excerpt(meta.location)}, but callers use ${url}: set ROSTER_PUBLIC_URL=${target.url}`,
    );
  return undefined;
}

/** A service that requires no key lists users without one. */
async function checkWithoutKey(target: Target): Promise<Finding> {
  const response = await call(target, `${target.url}${SCIM_PREFIX}/Users?count=1`);
  const isOpen = typeof response !== "string" && response.status === 200;
  const rest = isOpen
    ? "It requires no key."
    : "To check a key too, store it with roster login --profile NAME, and add --profile NAME.";
  return ok("scim", `SCIM responds at ${target.url}${SCIM_PREFIX}. ${rest}`);
}

/** Lists one user and one group with the key, and compares its scopes with those that SCIM needs. */
async function checkKey(target: Target, key: string): Promise<Finding> {
  const session = await call(target, `${target.url}/api/session`, key);
  if (typeof session === "string")
    return problem("scim", `${target.url} is not reachable with the key (${session}).`);
  if (session.status !== 200)
    return problem(
      "scim",
      `${target.url} refuses the key: ${excerpt(session.body.detail ?? session.status)}`,
    );
  const { key: named, scopes } = session.body;
  const missing = scopeGroups.scim.filter((scope) => !(Array.isArray(scopes) && scopes.includes(scope)));
  const name = isObject(named) ? `Key ${String(named.id)} (${excerpt(named.name)})` : "The caller";
  if (missing.length > 0)
    return warning(
      "scim",
      `${name} lacks ${missing.join(", ")}, which SCIM needs. Create a key: roster keys create --name scim --scope scim`,
    );
  for (const type of ["Users", "Groups"]) {
    const url = `${target.url}${SCIM_PREFIX}/${type}?count=1`;
    const list = await call(target, url, key);
    if (typeof list === "string") return problem("scim", `${url} is not reachable (${list}).`);
    if (list.status !== 200)
      return problem(
        "scim",
        `${url} responds with ${list.status}: ${excerpt(list.body.detail ?? "this is not SCIM.")}`,
      );
  }
  return ok(
    "scim",
    `SCIM responds at ${target.url}${SCIM_PREFIX}. ${name} can read and change users and groups.`,
  );
}

interface ScimResponse {
  readonly status: number;
  /** Empty if the response has no JSON object. */
  readonly body: JsonObject;
}

/** The response, or why there is none. */
async function call({ of }: Target, url: string, key?: string): Promise<ScimResponse | string> {
  try {
    const response = await fetch(url, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(WAIT_MS),
      redirect: "manual",
      // The certificate names the public host, not this machine.
      tls: { rejectUnauthorized: of !== "this machine" },
    });
    const body: unknown = await response.json().catch(() => undefined);
    return { status: response.status, body: isObject(body) ? body : {} };
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

function excerpt(value: Json | undefined): string {
  return printable(String(value).slice(0, MAX_EXCERPT));
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
