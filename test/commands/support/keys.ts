import { expect } from "bun:test";
import { isSecret } from "../../../src/contract/keys/key-secret.ts";
import { type CommandResult, runRoster } from "../../support/process/roster.ts";
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
