import { expect } from "bun:test";
import { isSecret } from "../../../src/contract/keys/key-secret.ts";
import { bearer } from "../../support/credentials.ts";
import { type CommandResult, type Roster, runRoster } from "../../support/process/roster.ts";
import { until } from "../../support/until.ts";
import { flags } from "./commands.ts";

/** Runs `roster keys` on one database, named by DATABASE_URL. */
export function keysOn(url: string, env: Record<string, string> = {}) {
  return (...args: string[]) =>
    runRoster(["keys", ...args, ...flags], { env: { DATABASE_URL: url, ...env } });
}

/** The key, the only output on stdout. */
export function keyOf(ran: CommandResult): string {
  expect(ran).toMatchObject({ code: 0, signal: null });
  expect(ran.stdout).toMatch(/^roster_\w+\n$/);
  const key = ran.stdout.trim();
  expect(isSecret(key)).toBe(true);
  expect(ran.stderr).not.toContain(key);
  return key;
}

/** The status of a list with this key, or without a key. */
export async function statusWith(roster: Roster, key?: string): Promise<number> {
  const headers = key === undefined ? {} : bearer(key);
  return (await roster.call("/api/users", { headers })).status;
}

/** Waits until the service has noticed that a command revoked the key, or created the first key. */
export async function untilRejected(roster: Roster, key?: string): Promise<void> {
  await until(async () => (await statusWith(roster, key)) === 401);
}
