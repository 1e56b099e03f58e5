import { type Config, isLoopback } from "../../config/config.ts";
import type { StoredKey } from "../../domain/keys/key-store.ts";
import type { DatabaseContents } from "../../store/database-facts.ts";
import { describeDuration } from "../output/duration.ts";
import { formatCount } from "../output/format-count.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const DAY_MS = 86_400_000;
const UNUSED_MS = 90 * DAY_MS;
const EXPIRING_MS = 14 * DAY_MS;
const MAX_SHOWN_KEYS = 5;
/** Public addresses: no proxy of yours has them. */
const PUBLIC_ADDRESSES = [
  ["1.1.1.1", "ipv4"],
  ["203.0.113.1", "ipv4"],
  ["2606:4700::1", "ipv6"],
] as const;

/** Checks who may call and whether that is safe. `contents` is undefined if the database cannot be read. */
export function checkAccess(
  config: Config,
  contents: DatabaseContents | undefined,
  now = Date.now(),
): Finding[] {
  const keys = contents?.keys ?? [];
  const activeKeys = keys.filter((key) => isActive(key, now));
  return [
    ...checkMode(config, contents, activeKeys.length),
    ...checkProxies(config),
    ...checkKeys(activeKeys, now),
  ];
}

function checkMode(config: Config, contents: DatabaseContents | undefined, activeKeys: number): Finding[] {
  const { auth, host, apiKey, trustedProxies, tlsCert } = config;
  const isLocal = isLoopback(host) && !trustedProxies.any;
  if (auth === "off") return [checkAuthOff(config, isLocal)];
  if (auth === "auto" && isLocal && apiKey === undefined && contents?.keys.length === 0) {
    return [ok("access", "Open to this machine only: the service listens on loopback, and no key exists.")];
  }
  const isUnencrypted = tlsCert === "" && !isLoopback(host) && !trustedProxies.any;
  return [
    ...(contents || apiKey !== undefined ? [checkRequired(activeKeys, apiKey !== undefined)] : []),
    ...(isUnencrypted
      ? [
          warning(
            "access",
            `Keys and users are sent unencrypted (HOST=${host}): set ROSTER_TLS_CERT and ROSTER_TLS_KEY, or use a TLS proxy and list it in ROSTER_TRUSTED_PROXIES.`,
          ),
        ]
      : []),
  ];
}

function checkRequired(activeKeys: number, hasEnvironmentKey: boolean): Finding {
  const stored = `${activeKeys} active in the database`;
  if (!hasEnvironmentKey && activeKeys === 0) {
    return problem(
      "access",
      "API keys are required, but no key is active. Create one: roster keys create --name admin --scope all",
    );
  }
  const withEnvironment = activeKeys === 0 ? "only ROSTER_API_KEY" : `${stored}, and ROSTER_API_KEY`;
  return ok("access", `API keys are required: ${hasEnvironmentKey ? withEnvironment : stored}.`);
}

function checkAuthOff({ host, trustedProxies }: Config, isLocal: boolean): Finding {
  if (isLocal) {
    return warning(
      "access",
      "ROSTER_AUTH=off lets anyone who reaches the port read and change users, including web pages in a browser on this machine: remove it.",
    );
  }
  return trustedProxies.any
    ? warning(
        "access",
        "ROSTER_AUTH=off leaves authentication to the proxy: make sure that the port is reachable only through it.",
      )
    : problem(
        "access",
        `ROSTER_AUTH=off with HOST=${host} lets anyone who reaches the port read and change users: remove it, and create a key: roster keys create --name admin --scope all`,
      );
}

function checkProxies({ trustedProxies }: Config): Finding[] {
  if (!PUBLIC_ADDRESSES.some(([address, family]) => trustedProxies.list.check(address, family))) return [];
  return [
    warning(
      "access",
      "ROSTER_TRUSTED_PROXIES includes public networks, whose callers can fake their address: list only your proxies.",
    ),
  ];
}

function checkKeys(activeKeys: readonly StoredKey[], now: number): Finding[] {
  if (activeKeys.length === 0) return [];
  const unused = activeKeys.filter(
    (key) => key.expiresAt === null && now - (key.lastUsedAt ?? key.createdAt) > UNUSED_MS,
  );
  const expiring = activeKeys.filter((key) => remainingMs(key, now) < EXPIRING_MS && !isReplaced(key));
  const findings = [
    ...firstFew(unused, (key) =>
      warning(
        "keys",
        `Key ${key.id} (${key.name}) never expires and ${unusedFor(key, now)}. If it is not needed: roster keys revoke ${key.id}`,
      ),
    ),
    ...firstFew(expiring, (key) =>
      warning(
        "keys",
        `Key ${key.id} (${key.name}) expires in ${describeDuration(remainingMs(key, now))}. To replace it: roster keys replace ${key.id}`,
      ),
    ),
  ];
  return findings.length > 0
    ? findings
    : [ok("keys", "No active key expires soon or has been unused for 90 days.")];
}

/** One finding for each of the first keys, and one for the rest. */
function firstFew(keys: readonly StoredKey[], toFinding: (key: StoredKey) => Finding): Finding[] {
  const rest = keys.length - MAX_SHOWN_KEYS;
  const findings = keys.slice(0, MAX_SHOWN_KEYS).map(toFinding);
  return rest > 0
    ? [...findings, warning("keys", `${formatCount(rest, "more key")} like this: see roster keys list.`)]
    : findings;
}

function isActive({ revokedAt, expiresAt }: StoredKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function remainingMs({ expiresAt }: StoredKey, now: number): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - now;
}

/** Whether the key has a successor: it expires earlier than its lifetime. */
function isReplaced({ createdAt, lifetime, expiresAt }: StoredKey): boolean {
  return lifetime === null || (expiresAt ?? 0) < createdAt + lifetime;
}

function unusedFor({ lastUsedAt, createdAt }: StoredKey, now: number): string {
  const duration = describeDuration(now - (lastUsedAt ?? createdAt));
  return lastUsedAt === null ? `was never used in ${duration}` : `was not used for ${duration}`;
}
