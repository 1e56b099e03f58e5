import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { copyFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type CommandResult, type Roster, runRoster, temporaryFolder } from "../../support/process/roster.ts";
import { flags } from "./commands.ts";
import { fillFile } from "./moves.ts";

export function file(name: string): string {
  return join(temporaryFolder(), name);
}

export function backup(to: string, database: string, ...more: string[]): Promise<CommandResult> {
  return runRoster(["backup", to, `--database=${database}`, ...flags, ...more]);
}

export function restore(from: string, database: string, ...more: string[]): Promise<CommandResult> {
  return runRoster(["restore", from, `--database=${database}`, ...flags, ...more]);
}

const FIGURES = /(?: {2}[a-z_]+ +[\d,]+\n)+ {2}seconds +[\d.]+\n {2}sha256 +([0-9a-f]{64})\n$/;

/** Expects success without messages on stderr, and returns the checksum. */
export function checksumOf(ran: CommandResult, begins: RegExp): string {
  expect(ran).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(ran.stdout).toMatch(begins);
  expect(ran.stdout).toMatch(FIGURES);
  return FIGURES.exec(ran.stdout)?.[1] ?? "";
}

export const BACKED_UP = /^Backed up \S+ to \S+\.\n {2}megabytes +[\d.]+\n/;
export const RESTORED = /^Restored \S+ into \S+\.\n/;

export async function create(roster: Roster, name: string): Promise<number> {
  const response = await roster.call("/api/users", {
    method: "POST",
    json: {
      name,
      email: `${name}@example.com`,
      team: "red",
    },
  });
  expect(response.status).toBe(201);
  return (await response.json()).id;
}

/** The partial file of a command; undefined if there is none. */
export function partOf(path: string): string | undefined {
  const name = readdirSync(dirname(path)).find(
    (each) => each.startsWith(basename(path)) && each.endsWith(".part"),
  );
  return name === undefined ? undefined : join(dirname(path), name);
}

/** Copies a file, so that the test does not change the original. */
export function copyOf(path: string): string {
  const copy = file("copy.db");
  copyFileSync(path, copy);
  return copy;
}

export function valueIn(path: string, sql: string): unknown {
  const db = new Database(path, { readonly: true });
  const statement = db.prepare<Record<string, unknown>, []>(sql);
  try {
    return statement.values()[0]?.[0];
  } finally {
    // An open statement would keep the file open, and so lock it.
    statement.finalize();
    db.close();
  }
}

/** Creates a database and its backup; `target` does not exist yet. */
export async function createBackup(): Promise<{ from: string; out: string; target: string }> {
  const [from, out, target] = [file("from.db"), file("out.db"), file("target.db")];
  await fillFile(from, 500);
  checksumOf(await backup(out, from), BACKED_UP);
  return { from, out, target };
}
