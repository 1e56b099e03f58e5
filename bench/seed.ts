/** Makes a database of many users, through the store itself, and keeps it for the next run. */
import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultRecordRules } from "../src/domain/record-rules.ts";
import { migrations } from "../src/store/sqlite/migrations/index.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { fill } from "./fill.ts";
import { readOptions } from "./options.ts";
import { person } from "./people.ts";
import { print } from "./table.ts";

const BATCH = 500;

/** The path of a database with the users 1 to `users`. Do not write to it: others read it after you. */
export async function seededDatabase(users: number): Promise<string> {
  const path = join(tmpdir(), `roster-bench-${users}-${fingerprint()}.db`);
  if (existsSync(path) && (await usersIn(path)) === users) return path;
  const draft = `${path}.${process.pid}`;
  try {
    await make(draft, users);
    renameSync(draft, path);
  } finally {
    removeDatabase(draft);
  }
  return path;
}

/** The file and what SQLite puts beside it. */
export function removeDatabase(path: string): void {
  for (const part of ["", "-wal", "-shm"]) rmSync(path + part, { force: true });
}

async function make(path: string, users: number): Promise<void> {
  const store = open(path);
  try {
    await fill(store, users, BATCH);
  } finally {
    await store.close();
  }
}

async function usersIn(path: string): Promise<number> {
  const store = open(path);
  const { users } = await store.stats();
  await store.close();
  return users;
}

function open(path: string): SqliteStore {
  const options = { path, batch: BATCH, queue: BATCH, waitMs: 60_000, recordRules: defaultRecordRules };
  return new SqliteStore(options, { committed: () => {} });
}

/** Another schema or other people make another database. */
function fingerprint(): string {
  const sample = Array.from({ length: 100 }, (_, index) => person(index + 1));
  return createHash("sha256")
    .update(JSON.stringify([migrations, sample]))
    .digest("hex")
    .slice(0, 8);
}

if (import.meta.main) {
  const { numbers, json } = readOptions({ users: 100_000 });
  const start = performance.now();
  const path = await seededDatabase(numbers.users);
  const seconds = (performance.now() - start) / 1000;
  const megabytes = statSync(path).size / 1e6;
  print(json, { path, users: numbers.users, megabytes, seconds }, [
    ["database", "users", "MB", "seconds"],
    [path, String(numbers.users), megabytes.toFixed(0), seconds.toFixed(1)],
  ]);
}
