import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findSqliteCorruption, listAllUsers } from "../support/consistency/list-checks.ts";
import { onEachEngine } from "../support/engines.ts";
import {
  type CommandResult,
  runRoster,
  spawnRoster,
  startRoster,
  temporaryFolder,
} from "../support/process/roster.ts";
import { cleanUp, createDatabase, expectError, flags } from "./support/commands.ts";
import { untilOf } from "./support/until-running.ts";

setDefaultTimeout(120_000);
afterEach(cleanUp);

function seed(database: string, ...args: string[]): Promise<CommandResult> {
  return runRoster(["seed", ...args, `--database=${database}`, ...flags]);
}

/** The figures of a successful seed. */
function figures({ code, signal, stdout }: CommandResult): { created: number; existing: number } {
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(stdout).toMatch(
    /^\S+ has the first [\d,]+ users of seed \d+\.\n {2}created +[\d,]+\n {2}already there +[\d,]+\n {2}seconds +[\d.]+\n {2}per second +[\d,]+\n$/,
  );
  const figure = (name: string) =>
    Number(new RegExp(`${name} +([\\d,]+)`).exec(stdout)?.[1]?.replaceAll(",", ""));
  return { created: figure("created"), existing: figure("already there") };
}

/** The records of all users, without the fields that the service adds. */
async function recordsIn(database: string): Promise<string[]> {
  const roster = await startRoster(database, { flags });
  const { users } = await listAllUsers(roster);
  roster.kill("SIGTERM");
  await roster.exited;
  return users.map((user) => {
    const { id: _id, version: _version, createdAt: _at, updatedAt: _then, ...record } = user;
    return JSON.stringify(record);
  });
}

onEachEngine((engine) => {
  test("the same seed creates the same users once, beside existing users; another seed creates others", async () => {
    const [one, other] = [await createDatabase(engine), await createDatabase(engine)];
    const roster = await startRoster(other, { flags });
    const mine = { name: "Mine", email: "mine@example.com" };
    expect((await roster.call("/api/users", { method: "POST", json: mine })).status).toBe(201);

    expect(figures(await seed(one, "700"))).toEqual({ created: 700, existing: 0 });
    // While the service runs.
    expect(figures(await seed(other, "300"))).toEqual({ created: 300, existing: 0 });
    expect(figures(await seed(other, "700"))).toEqual({ created: 400, existing: 300 });
    expect(figures(await seed(other, "700"))).toEqual({ created: 0, existing: 700 });
    const [first, second] = [await recordsIn(one), await recordsIn(other)];
    expect(second.shift()).toBe(JSON.stringify(mine));
    expect(second).toEqual(first);
    expect(new Set(first).size).toBe(700);

    expect(figures(await seed(one, "100", "--seed=2"))).toEqual({ created: 100, existing: 0 });
    expect(new Set(await recordsIn(one)).size).toBe(800);
  });
});

test("an interrupted seed that is repeated creates every user once", async () => {
  const path = join(temporaryFolder(), "roster.db");
  const seeding = spawnRoster(["seed", "8000", `--database=${path}`]);
  const users = () => {
    const db = new Database(path, { readonly: true });
    try {
      return Number(db.query<Record<string, unknown>, []>("SELECT users FROM directory").values()[0]?.[0]);
    } catch {
      return 0;
    } finally {
      db.close();
    }
  };
  await untilOf(seeding, () => existsSync(path) && users() >= 1000);
  seeding.kill("SIGTERM");
  expect(await seeding.exited).toEqual({ code: 143, signal: null });
  expect(seeding.stderr.at(-1)).toBe(
    "roster: Interrupted. Run the same command again to create the missing users.",
  );
  const before = users();
  expect(before).toBeLessThan(8000);
  expect(figures(await seed(path, "8000"))).toEqual({ created: 8000 - before, existing: before });
  expect(findSqliteCorruption(path, 8000)).toEqual([]);
});

test("20,000 users have names from many cultures and scripts, and all are valid", async () => {
  const path = join(temporaryFolder(), "roster.db");
  const seeding = spawnRoster(["seed", "20000", "--seed=7", `--database=${path}`]);
  expect(await seeding.exited).toEqual({ code: 0, signal: null });
  expect(seeding.stderr).toEqual([`Created a database at ${path}.`]);
  expect(seeding.stdout.slice(0, 2)).toEqual([
    `${path} has the first 20,000 users of seed 7.`,
    "  created        20,000",
  ]);

  const db = new Database(path, { readonly: true });
  const users: Record<string, unknown>[] = db
    .query<{ json: string }, []>("SELECT json FROM users")
    .all()
    .map(({ json }) => JSON.parse(json));
  db.close();
  expect(users).toHaveLength(20_000);
  const share = (test: (user: Record<string, unknown>) => boolean) =>
    users.filter(test).length / users.length;
  const named = (pattern: RegExp) => share(({ name }) => pattern.test(String(name)));
  const scripts = [
    "Latin",
    "Cyrillic",
    "Greek",
    "Arabic",
    "Hebrew",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Han",
    "Hiragana",
    "Hangul",
    "Thai",
    "Ethiopic",
    "Georgian",
    "Armenian",
  ];
  const missing = scripts.filter((script) => named(new RegExp(`\\p{Script=${script}}`, "u")) < 0.002);
  expect(missing).toEqual([]);
  const found = {
    accents: named(/[À-ɏ]/),
    apostrophes: named(/[’‘]/),
    hyphens: named(/-/),
    single: named(/^\S+$/),
  };
  expect(Object.entries(found).filter(([, part]) => part < 0.01)).toEqual([]);
  expect(named(/^[a-z' -]+$/i)).toBeLessThan(0.35);
  const withoutEmail = share(({ email }) => email === undefined);
  expect(Math.abs(withoutEmail - 0.08)).toBeLessThan(0.01);

  const addresses = users.flatMap(({ email }) => (typeof email === "string" ? [email] : []));
  const odd = addresses.filter(
    (email) => !/^[a-z][a-z.-]*\.7\.\d+@(example\.(com|org|net)|[a-z]+\.example)$/.test(email),
  );
  expect(odd).toEqual([]);
  const values = (field: string) => new Set(users.map((user) => String(user[field])));
  expect(values("country").size).toBeGreaterThan(80);
  expect([...values("country")].filter((country) => !/^[A-Z]{2}$/.test(country))).toEqual([]);
  expect(values("name").size).toBeGreaterThan(8000);
  for (const field of ["department", "plan", "city", "active", "level", "joinedOn", "tags", "phone"]) {
    expect({ field, several: values(field).size > 1 }).toEqual({ field, several: true });
  }
});

describe("invalid usage ends with code 2 and one line, and creates nothing", () => {
  const cases: [string[], string][] = [
    [[], "N is required. Use a whole number from 1 to 100000000"],
    [["0"], "N=0 is invalid"],
    [["100000001"], "N=100000001 is invalid"],
    [["1e3"], "N=1e3 is invalid"],
    [["10", "--seed=x"], "--seed=x is invalid"],
    [["10", "--seed=4294967296"], "from 0 to 4294967295"],
    [["10", "20"], "See roster seed --help."],
  ];
  test.each(cases)("%p", async (args, says) => {
    const folder = temporaryFolder();
    expectError(await runRoster(["seed", ...args], { cwd: folder }), 2, says);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });
});
