import { type Config, isLoopback } from "../../config/config.ts";
import type { StoredKey } from "../../domain/key-store.ts";
import type { DatabaseContents } from "../../store/database-facts.ts";
import { describeDuration } from "../output/duration.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const DAY_MS = 86_400_000;
const FORGOTTEN_MS = 90 * DAY_MS;
const ENDING_MS = 14 * DAY_MS;
const SHOWN_KEYS = 5;
/** Of nobody's own network: whoever trusts these trusts everybody. */
const PUBLIC = [
  ["1.1.1.1", "ipv4"],
  ["203.0.113.1", "ipv4"],
  ["2606:4700::1", "ipv6"],
] as const;

/** Who may call, and whether that is safe. Which keys there are is not known of a database that cannot be read. */
export function checkAccess(
  config: Config,
  contents: DatabaseContents | undefined,
  now = Date.now(),
): Finding[] {
  const keys = contents?.keys ?? [];
  const inForce = keys.filter((key) => isInForce(key, now));
  return [
    ...checkMode(config, contents, inForce.length),
    ...checkProxies(config),
    ...checkKeys(inForce, now),
  ];
}

function checkMode(config: Config, contents: DatabaseContents | undefined, inForce: number): Finding[] {
  const { auth, host, apiKey, trustedProxies, tlsCert } = config;
  const local = isLoopback(host) && !trustedProxies.any;
  if (auth === "off") return [checkOff(config, local)];
  if (auth === "auto" && local && apiKey === undefined && contents?.keys.length === 0) {
    return [ok("access", "Open to this machine only: it listens on loopback, and there is no key.")];
  }
  const plain = tlsCert === "" && !isLoopback(host) && !trustedProxies.any;
  return [
    ...(contents || apiKey !== undefined ? [checkHeld(inForce, apiKey !== undefined)] : []),
    ...(plain
      ? [
          warning(
            "access",
            `Keys and users cross the network unencrypted (HOST=${host}): set ROSTER_TLS_CERT and ROSTER_TLS_KEY, or put a proxy with TLS in front and name it in ROSTER_TRUSTED_PROXIES.`,
          ),
        ]
      : []),
  ];
}

/** Where a key is asked for. */
function checkHeld(inForce: number, fromEnvironment: boolean): Finding {
  const stored = inForce === 1 ? "1 is in force" : `${inForce} are in force`;
  if (!fromEnvironment && inForce === 0) {
    return problem(
      "access",
      "A key is required, and there is none in force: nobody gets in. Make one with: roster keys create --name admin --scope all",
    );
  }
  const also = inForce === 0 ? "ROSTER_API_KEY is the only one" : `${stored}, and ROSTER_API_KEY`;
  return ok("access", `A key is required; ${fromEnvironment ? also : stored}.`);
}

function checkOff({ host, trustedProxies }: Config, local: boolean): Finding {
  if (local) {
    return warning(
      "access",
      "ROSTER_AUTH=off lets in whoever reaches the port, and on loopback that is also any web page in a browser here: leave it out.",
    );
  }
  return trustedProxies.any
    ? warning(
        "access",
        "ROSTER_AUTH=off leaves it to the proxy in front who may call: make sure that nobody reaches the port past it.",
      )
    : problem(
        "access",
        `ROSTER_AUTH=off with HOST=${host} lets anybody who reaches the port read and change all users: leave it out, and make a key with: roster keys create --name admin --scope all`,
      );
}

function checkProxies({ trustedProxies }: Config): Finding[] {
  if (!PUBLIC.some(([address, family]) => trustedProxies.list.check(address, family))) return [];
  return [
    warning(
      "access",
      "ROSTER_TRUSTED_PROXIES names public networks, whose callers can say who they are: name the proxies alone.",
    ),
  ];
}

function checkKeys(inForce: readonly StoredKey[], now: number): Finding[] {
  if (inForce.length === 0) return [];
  const forgotten = inForce.filter(
    (key) => key.expiresAt === null && now - (key.lastUsedAt ?? key.createdAt) > FORGOTTEN_MS,
  );
  const ending = inForce.filter((key) => leftOf(key, now) < ENDING_MS && !isReplaced(key));
  const findings = [
    ...some(forgotten, (key) =>
      warning(
        "keys",
        `Key ${key.id}, ${key.name}, never expires and ${unusedFor(key, now)}: if nobody needs it, roster keys revoke ${key.id}`,
      ),
    ),
    ...some(ending, (key) =>
      warning(
        "keys",
        `Key ${key.id}, ${key.name}, expires in ${describeDuration(leftOf(key, now))}: roster keys replace ${key.id} makes its successor.`,
      ),
    ),
  ];
  return findings.length > 0 ? findings : [ok("keys", "No key is forgotten, and none is about to expire.")];
}

/** A line for each of the first, and one for all the rest. */
function some(keys: readonly StoredKey[], tell: (key: StoredKey) => Finding): Finding[] {
  const rest = keys.length - SHOWN_KEYS;
  const told = keys.slice(0, SHOWN_KEYS).map(tell);
  return rest > 0
    ? [...told, warning("keys", `The same is so of ${rest} more: see roster keys list.`)]
    : told;
}

function isInForce({ revokedAt, expiresAt }: StoredKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function leftOf({ expiresAt }: StoredKey, now: number): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - now;
}

/** It ends sooner than it was made for: its successor is there already. */
function isReplaced({ createdAt, lifetime, expiresAt }: StoredKey): boolean {
  return lifetime === null || (expiresAt ?? 0) < createdAt + lifetime;
}

function unusedFor({ lastUsedAt, createdAt }: StoredKey, now: number): string {
  const since = describeDuration(now - (lastUsedAt ?? createdAt));
  return lastUsedAt === null ? `was never used in ${since}` : `was not used for ${since}`;
}
