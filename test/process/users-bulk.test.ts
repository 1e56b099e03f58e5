import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  endAll,
  type Ran,
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  temporaryFolder,
} from "./roster.ts";
import { runOnTerminal } from "./terminal.ts";

setDefaultTimeout(60_000);

let roster: Roster;
const folder = temporaryFolder();
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  roster = await startRoster(join(temporaryFolder(), "roster.db"));
});
afterAll(endAll);

function users(...args: string[]): Promise<Ran> {
  return runRoster(["users", ...args], { cwd: folder, env: { ROSTER_URL: roster.url } });
}

function shell(line: string): Promise<Ran> {
  return runCommand(["bash", "-c", `set -o pipefail; ${line}`], {
    cwd: folder,
    env: { ROSTER_URL: roster.url },
  });
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

test("a table is imported, what is refused is told by its line, and the exit code says so", async () => {
  writeFileSync(
    file("people.csv"),
    'name;email;level;team\r\nAda;ada@example.com;3;engines\r\n;nobody@example.com;;\r\n"Zoë\nX";;007;\r\nBob;ADA@example.com;;\r\n',
  );
  const ran = await users("import", "people.csv", "--errors", "refused.ndjson");
  expect(ran).toMatchObject({ code: 1, signal: null });
  expect(ran.stdout).toMatch(/^Created 1 users, refused 3 \([\d.]+ s, [\d,]+ a second\)\.\n$/);
  expect(ran.stderr).toContain("line 3: A user needs a name.");
  expect(ran.stderr).toContain("line 6: email: Another user has ADA@example.com.");
  const refused = linesOf(readFileSync(file("refused.ndjson"), "utf8")).map((line) => JSON.parse(line));
  expect(refused.map(({ line, status }) => [line, status])).toEqual([
    [3, 422],
    [4, 422],
    [6, 409],
  ]);
});

test("what is exported can be imported elsewhere, as a table and as JSON, from a file and from a pipe", async () => {
  writeFileSync(
    file("many.ndjson"),
    Array.from(
      { length: 2500 },
      (_, i) => `${JSON.stringify({ name: `=U${i}`, n: i, deep: { i: [i, null] } })}\n`,
    ).join(""),
  );
  expect(await shell(`cat many.ndjson | ${shellCommand(["users", "import", "-"])}`)).toMatchObject({
    code: 0,
    stderr: "",
  });
  for (const name of ["out.csv", "out.ndjson"]) {
    expect(await users("export", name)).toMatchObject({ code: 0, stderr: "" });
    const other = await startRoster(join(temporaryFolder(), "other.db"));
    const env = { ROSTER_URL: other.url };
    expect(await runRoster(["users", "import", file(name)], { env })).toMatchObject({ code: 0, stderr: "" });
    const [here, there] = await Promise.all([users("export"), runRoster(["users", "export"], { env })]);
    const records = ({ stdout }: Ran) =>
      linesOf(stdout).map((line) => {
        const {
          id: _id,
          version: _version,
          createdAt: _createdAt,
          updatedAt: _updatedAt,
          ...own
        } = JSON.parse(line);
        return own;
      });
    expect(records(there)).toEqual(records(here));
  }
});

test("a file gets its name when it is whole, for its owner alone, and is not written over unasked", async () => {
  expect(await users("export", "once.ndjson", "--where", "team=engines")).toMatchObject({ code: 0 });
  expect(linesOf(readFileSync(file("once.ndjson"), "utf8"))).toHaveLength(1);
  expect(statSync(file("once.ndjson")).mode & 0o777).toBe(0o600);
  const again = await users("export", "once.ndjson");
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toContain("--force");
  expect(await users("export", "once.ndjson", "--force", "--q", "nobody at all")).toMatchObject({ code: 0 });
  expect(readFileSync(file("once.ndjson"), "utf8")).toBe("");
  expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
});

test("a reader that has seen enough ends the export without a word", async () => {
  const ran = await shell(`${shellCommand(["users", "export"])} | head -1`);
  expect(linesOf(ran.stdout)).toHaveLength(1);
  expect(ran.stderr).toBe("");
});

test("with --json, what became of each line is all there is on stdout", async () => {
  writeFileSync(file("two.ndjson"), '{"name":"One"}\n{"name":""}\n');
  const ran = await users("import", "two.ndjson", "--json");
  expect(ran.code).toBe(1);
  expect(linesOf(ran.stdout).map((line) => JSON.parse(line).status)).toEqual([201, 422]);
});

test("repeated under its key, an import makes nobody twice", async () => {
  writeFileSync(file("once.csv"), "name\nOnly One\n");
  const one = () => users("import", "once.csv", "--idempotency-key", "monday", "--json");
  const [first, second] = [await one(), await one()];
  expect(second.stdout).toBe(first.stdout);
  const found = await users("list", "--q", "only one");
  expect(linesOf(found.stdout)).toHaveLength(1);
});

test("a file that is not there, a service that is away and a table that cannot be read end with one line", async () => {
  expect(await users("import", "nothing.csv")).toMatchObject({ code: 2, stdout: "" });
  const away = { cwd: folder, env: { ROSTER_URL: "http://127.0.0.1:1" } };
  expect(await runRoster(["users", "export", "away.csv"], away)).toMatchObject({ code: 6, stdout: "" });
  expect(existsSync(file("away.csv"))).toBe(false);
  writeFileSync(file("latin.csv"), Buffer.from("name\nJos\xe9\n", "latin1"));
  const latin = await users("import", "latin.csv");
  expect(latin.code).toBe(1);
  expect(latin.stderr).toContain("UTF-8");
});

test("on a terminal a bar shows how far an import is", async () => {
  const shown = await runOnTerminal(["users", "import", file("many.ndjson")], {
    env: { ROSTER_URL: roster.url },
  });
  expect(shown.code).toBe(0);
  expect(shown.screen).toContain("importing");
  expect(shown.screen).toContain("2,500 of 2,500");
});
