import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseDatabase } from "../../src/config/database-url.ts";
import { beginBackup } from "../../src/store/archive/backup.ts";
import { beginRestore, type Restore } from "../../src/store/archive/restore.ts";
import { databaseOn, emptyDatabaseOn } from "../support/engines.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { startServiceOn } from "../support/service.ts";

startPostgresBeforeTests();
const folder = mkdtempSync(join(tmpdir(), "roster-restore-"));
const backup = join(folder, "backup.db");
const options = { waitMs: 5000, dedicatedSessions: true, replace: () => Promise.resolve() };

beforeAll(async () => {
  const source = await databaseOn("sqlite");
  const service = await startServiceOn(source.url);
  await service.roster.users.create({ name: "Ada" });
  await service.stop();
  await beginBackup(parseDatabase(source.url), backup, { ...options, replace: false }).run(() => undefined);
  await source.drop();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A path in a folder of its own. */
function newPath(): string {
  return join(mkdtempSync(join(folder, "target-")), "target.db");
}

function copyOf(path: string): string {
  const copy = newPath();
  copyFileSync(path, copy);
  return copy;
}

class Interrupted extends Error {}

/** Restores the backup again and again, and ends each run at the next step. Returns what `end` returns, by step. */
async function endAtEachStep<Result>(
  createTarget: () => Promise<string>,
  end: (restore: Restore, target: string) => Result,
): Promise<Map<string, { readonly target: string; readonly result: Result }>> {
  const ended = new Map<string, { target: string; result: Result }>();
  for (;;) {
    const target = await createTarget();
    const restore = beginRestore(backup, parseDatabase(target), options);
    const run = restore.run(({ step }) => {
      if (ended.has(step)) return;
      ended.set(step, { target, result: end(restore, target) });
      throw new Interrupted();
    });
    const isWhole = await run.then(
      () => true,
      (error) => {
        if (error instanceof Interrupted) return false;
        throw error;
      },
    );
    if (isWhole) return ended;
  }
}

/** The names of the users that a service has on this database, or why it does not start. */
async function serve(database: string): Promise<string> {
  try {
    const service = await startServiceOn(database);
    const users = await Array.fromAsync(service.roster.users.list());
    await service.stop();
    return users.map(({ name }) => name).join(", ");
  } catch (error) {
    return String(error);
  }
}

describe("a restore into a new SQLite file", () => {
  test("leaves nothing in any step if it is interrupted", async () => {
    const ended = await endAtEachStep(
      async () => newPath(),
      (restore, target) => [restore.interrupt(), ...readdirSync(dirname(target))],
    );
    expect([...ended.keys()]).toEqual(["reading", "copying", "verifying"]);
    for (const { result } of ended.values()) expect(result).toEqual(["unchanged"]);
  });

  test("leaves no file that is served in any step if it is killed", async () => {
    const ended = await endAtEachStep(
      async () => newPath(),
      (_restore, target) => {
        return existsSync(target) ? copyOf(target) : undefined;
      },
    );
    expect(ended.get("reading")?.result).toBeUndefined();
    for (const step of ["copying", "verifying"]) {
      const left = ended.get(step)?.result ?? "";
      expect(await serve(copyOf(left))).toContain("`roster restore` from");
      // The same restore continues without a question.
      const again = beginRestore(backup, parseDatabase(left), {
        ...options,
        replace: () => Promise.reject(new Error("The restore asked.")),
      });
      await again.run(() => undefined);
      expect(await serve(left)).toBe("Ada");
    }
  });

  test("creates the file that a symbolic link points to", async () => {
    const [target, link] = [newPath(), newPath()];
    symlinkSync(target, link);
    await beginRestore(backup, parseDatabase(link), options).run(() => undefined);
    expect(readdirSync(dirname(target))).toEqual(["target.db"]);
    expect(await serve(target)).toBe("Ada");
  });

  test("fails with a reason below a file", async () => {
    const target = join(backup, "target.db");
    const run = beginRestore(backup, parseDatabase(target), options).run(() => undefined);
    await expect(run).rejects.toThrow(`Cannot write to ${backup}: give this user write permission there`);
  });

  test("creates its folder", async () => {
    const target = join(dirname(newPath()), "new", "target.db");
    await beginRestore(backup, parseDatabase(target), options).run(() => undefined);
    expect(await serve(target)).toBe("Ada");
  });
});

test("an interrupted restore into an SQLite file that exists leaves its users", async () => {
  const target = newPath();
  const service = await startServiceOn(target);
  await service.roster.users.create({ name: "Bob" });
  await service.stop();
  const ended = await endAtEachStep(
    async () => copyOf(target),
    (restore) => restore.interrupt(),
  );
  for (const { target: left, result } of ended.values()) {
    expect([result, await serve(left)]).toEqual(["unchanged", "Bob"]);
  }
});

test("an interrupted restore into PostgreSQL says whether the database is incomplete, and an incomplete one is not served", async () => {
  const databases: { drop(): Promise<void> }[] = [];
  try {
    const ended = await endAtEachStep(
      async () => {
        const database = await emptyDatabaseOn("postgres");
        databases.push(database);
        return database.url;
      },
      (restore) => restore.interrupt(),
    );
    expect(ended.get("reading")?.result).toBe("unchanged");
    expect(ended.get("verifying")?.result).toBe("incomplete");
    for (const { target, result } of ended.values()) {
      const served = await serve(target);
      if (result === "unchanged") expect(served).toBe("");
      else expect(served).toContain("`roster restore` from");
    }
  } finally {
    for (const database of databases) await database.drop();
  }
});

test("a text is not a backup, and a restore says how to create users from it", async () => {
  const text = join(folder, "users.csv");
  writeFileSync(text, "name,email\nAda,ada@example.com\n".repeat(50));
  const target = newPath();
  const run = beginRestore(text, parseDatabase(target), options).run(() => undefined);
  await expect(run).rejects.toThrow(
    `${text} is not a backup: restore a file that \`roster backup\` created. To create users from CSV or NDJSON, use \`roster users import\`.`,
  );
  expect(readdirSync(dirname(target))).toEqual([]);
});
