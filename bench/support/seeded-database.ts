import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/domain/store.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { SampleUsers } from "../../src/sample-users/sample-users.ts";
import { migrations } from "../../src/store/sqlite/migrations/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { runSeed } from "./child-server.ts";
import { fillStore } from "./fill-store.ts";
import { sampleUser, type UserSource } from "./sample-users.ts";

const BATCH = 500;

/** Returns the path of a database with the users 1 to `users`. Do not write to it: later runs reuse it. */
export function seededDatabase(users: number, source: UserSource = sampleUser): Promise<string> {
  return keepDatabase(users, source, (path) => create(path, users, source));
}

/** The same with the users of `roster seed`. */
export function rosterSeededDatabase(users: number): Promise<string> {
  const samples = new SampleUsers(1);
  return keepDatabase(
    users,
    (number) => samples.create(number),
    (path) => runSeed(users, path),
  );
}

/** Returns the path of a database that `fill` creates, if no earlier run has. */
async function keepDatabase(
  users: number,
  source: (number: number) => object,
  fill: (path: string) => Promise<void>,
): Promise<string> {
  const path = join(tmpdir(), `roster-bench-${users}-${fingerprint(source)}.db`);
  if (existsSync(path) && (await countUsers(path)) === users) return path;
  const draft = `${path}.${process.pid}`;
  try {
    await fill(draft);
    renameSync(draft, path);
  } finally {
    removeDatabase(draft);
  }
  return path;
}

/** Removes the file, its WAL and its shared memory. */
function removeDatabase(path: string): void {
  for (const part of ["", "-wal", "-shm"]) rmSync(path + part, { force: true });
}

async function create(path: string, users: number, source: UserSource): Promise<void> {
  const store = open(path);
  try {
    await fillStore(store, { users, batch: BATCH, source });
  } finally {
    await store.close();
  }
}

async function countUsers(path: string): Promise<number> {
  const store = open(path);
  const { users } = await store.stats();
  await store.close();
  return users;
}

function open(path: string): Store {
  const options = { path, batch: BATCH, queue: BATCH, waitMs: 60_000, recordRules: defaultRecordRules };
  return openSqliteStore(options, { committed: () => {} });
}

/** Changes with the schema and with the users. */
function fingerprint(source: (number: number) => object): string {
  const sample = Array.from({ length: 100 }, (_, index) => source(index + 1));
  return createHash("sha256")
    .update(JSON.stringify([migrations, sample]))
    .digest("hex")
    .slice(0, 8);
}
