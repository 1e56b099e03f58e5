import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CommandResult,
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  spawnRoster,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { runOnTerminal } from "../../support/process/terminal.ts";
import { requirement } from "../../support/requirements.ts";
import { keyOf, keysOn } from "../support/keys.ts";

setDefaultTimeout(120_000);

let roster: Roster;
const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
/** The users in many.ndjson. */
const MANY = 2500;

beforeAll(async () => {
  roster = await startRoster(join(temporaryFolder(), "roster.db"));
  const users = Array.from({ length: MANY }, (_, i) => ({ name: `=U${i}`, n: i, deep: { i: [i, null] } }));
  writeFileSync(file("many.ndjson"), users.map((user) => `${JSON.stringify(user)}\n`).join(""));
});
afterAll(stopAll);

function users(...args: string[]): Promise<CommandResult> {
  return runRoster(["users", ...args], { cwd: folder, env: { ROSTER_URL: roster.url } });
}

function shell(line: string): Promise<CommandResult> {
  return runCommand(["bash", "-c", `set -o pipefail; ${line}`], {
    cwd: folder,
    env: { ROSTER_URL: roster.url },
  });
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

test("an export can be imported into another service, as CSV and as NDJSON, from a file and from a pipe", async () => {
  expect(await shell(`cat many.ndjson | ${shellCommand(["users", "import", "-"])}`)).toMatchObject({
    code: 0,
    stderr: "",
  });
  const here = await users("export");
  for (const name of ["out.csv", "out.ndjson"]) {
    expect(await users("export", name)).toMatchObject({ code: 0, stderr: "" });
    const other = await startRoster(join(temporaryFolder(), "other.db"));
    const env = { ROSTER_URL: other.url };
    expect(await runRoster(["users", "import", file(name)], { env })).toMatchObject({ code: 0, stderr: "" });
    const there = await runRoster(["users", "export"], { env });
    const records = ({ stdout }: CommandResult) =>
      linesOf(stdout).map((line) => {
        const {
          id: _id,
          version: _version,
          createdAt: _createdAt,
          updatedAt: _updatedAt,
          ...record
        } = JSON.parse(line);
        return record;
      });
    expect(records(there)).toEqual(records(here));
  }
});

test("an exported file appears when it is complete, only its owner can read it, and --force overwrites it", async () => {
  await roster.call("/api/users", { method: "POST", json: { name: "Ada", team: "engines" } });
  expect(await users("export", "once.ndjson", "--where", "team=engines")).toMatchObject({ code: 0 });
  expect(linesOf(readFileSync(file("once.ndjson"), "utf8"))).toHaveLength(1);
  expect(statSync(file("once.ndjson")).mode & 0o777).toBe(0o600);
  const again = await users("export", "once.ndjson");
  expect(again).toMatchObject({ code: 4, stdout: "" });
  expect(again.stderr).toContain("--force");
  expect(await users("export", "once.ndjson", "--force", "--q", "nobody at all")).toMatchObject({ code: 0 });
  expect(readFileSync(file("once.ndjson"), "utf8")).toBe("");
  expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
});

test("a reader that closes the pipe ends the export silently", async () => {
  const ran = await shell(`${shellCommand(["users", "export"])} | head -1`);
  expect(linesOf(ran.stdout)).toHaveLength(1);
  expect(ran.stderr).toBe("");
});

test("with --output ndjson, stdout has only the results of the lines", async () => {
  writeFileSync(file("two.ndjson"), '{"name":"One"}\n{"name":""}\n');
  const ran = await users("import", "two.ndjson", "--output=ndjson");
  expect(ran.code).toBe(1);
  expect(linesOf(ran.stdout).map((line) => JSON.parse(line).status)).toEqual([201, 422]);
});

test("repeating an import with its key creates no user twice", async () => {
  writeFileSync(file("once.csv"), "name\nOnly One\n");
  const one = () => users("import", "once.csv", "--idempotency-key", "monday", "--output=ndjson");
  const [first, second] = [await one(), await one()];
  expect(second.stdout).toBe(first.stdout);
  const found = await users("list", "--q", "only one");
  expect(linesOf(found.stdout)).toHaveLength(1);
});

test("a missing file, an unavailable service and an unreadable table end with one line", async () => {
  expect(await users("import", "nothing.csv")).toMatchObject({ code: 2, stdout: "" });
  const away = { cwd: folder, env: { ROSTER_URL: "http://127.0.0.1:1" } };
  expect(await runRoster(["users", "export", "away.csv"], away)).toMatchObject({ code: 6, stdout: "" });
  expect(existsSync(file("away.csv"))).toBe(false);
  writeFileSync(file("latin.csv"), Buffer.from("name\nJos\xe9\n", "latin1"));
  const latin = await users("import", "latin.csv");
  expect(latin.code).toBe(1);
  expect(latin.stderr).toContain("UTF-8");
});

test("imports from pipes, which can be read only once", async () => {
  const importing = shellCommand(["users", "import"]);
  const summary = /^Imported 2 users, 0 failed /;
  const lines = `printf '{"name":"Piped"}\\n{"name":"Piped"}\\n'`;
  expect((await shell(`${importing} <(${lines})`)).stdout).toMatch(summary);
  expect((await shell(`${lines} | ${importing} /dev/stdin`)).stdout).toMatch(summary);
  expect((await shell(`mkfifo fifo; ${lines} > fifo & ${importing} fifo`)).stdout).toMatch(summary);
});

test("reports unreadable and unwritable files in one line, before any change", async () => {
  mkdirSync(file("folder"));
  writeFileSync(file("array.json"), ' [\n{"name": "Elemental"}\n]\n');
  writeFileSync(file("fine.ndjson"), '{"name":"Elemental"}\n');
  writeFileSync(file("headless.csv"), "email\nElemental\n");
  for (const [args, code, says] of [
    [["import", "folder"], 2, "folder is a folder: choose a file in it."],
    [
      ["import", "array.json"],
      2,
      "array.json is a JSON array, but an import needs one object per line. Convert it with: jq -c '.[]'",
    ],
    [["import", "headless.csv"], 1, "needs a name column"],
    [["import", "fine.ndjson", "--errors", "nowhere/errors"], 2, "choose another file for --errors."],
    [["import", "fine.ndjson", "--errors", "./fine.ndjson"], 2, "fine.ndjson is the file to import"],
    [["export", "nowhere/users.csv"], 1, "does not exist: create it, or choose another path."],
    [["export", "folder", "--force"], 2, "folder is not a file"],
    [["export", "/dev/null", "--force"], 2, "/dev/null is not a file"],
    [["export", "users.tsv"], 2, "The export is separated by commas"],
    [
      ["export", "out.xlsx"],
      2,
      "Roster cannot write .xlsx: use a name that ends in .csv or .ndjson, or add --format csv or --format ndjson.",
    ],
    [["export", "out.json"], 2, "Roster cannot write .json: use a name that ends in .csv or .ndjson"],
    [["import", "people.XLSX"], 2, "people.XLSX is a spreadsheet: save it as CSV, and import the CSV file."],
  ] as const) {
    const ran = await users(...args);
    expect({ args, ...ran }).toMatchObject({ args, code, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
    expect(ran.stderr).toContain(says);
  }
  expect((await users("list", "--q=elemental")).stdout).toBe("");
  expect(statSync("/dev/null").isFile()).toBe(false);
});

requirement(existsSync("/dev/full"), "there is no /dev/full").test(
  "reports an incomplete file of errors",
  async () => {
    writeFileSync(file("invalid.ndjson"), '{"name":""}\n'.repeat(5000));
    const ran = await users("import", "invalid.ndjson", "--errors", "/dev/full");
    expect(ran).toMatchObject({ code: 1, signal: null });
    expect(ran.stderr).toMatch(/\/dev\/full is incomplete \(ENOSPC[^\n]+\)\.\n$/);
    expect(ran.stdout).toStartWith("Imported 0 users, 5,000 failed ");
  },
);

describe("interrupted", () => {
  /** A service that starts a response and then sends nothing. */
  function silent() {
    const requested = Promise.withResolvers<void>();
    const service = Bun.serve({
      port: 0,
      fetch() {
        requested.resolve();
        return new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }));
      },
    });
    const env = { ROSTER_URL: service.url.origin };
    return { env, requested: requested.promise, [Symbol.asyncDispose]: () => service.stop(true) };
  }

  test.each([
    [[], /run the same command with --idempotency-key \S+\.$/],
    [["--idempotency-key=monday"], /run the same command again\.$/],
  ])("an import with %j says how to continue without importing a line twice", async (more, says) => {
    await using service = silent();
    const importing = spawnRoster(["users", "import", file("many.ndjson"), ...more], service);
    await service.requested;
    importing.kill("SIGINT");
    expect(await importing.exited).toMatchObject({ code: 130 });
    expect(importing.stderr).toHaveLength(1);
    expect(importing.stderr[0]).toStartWith(
      "roster: Interrupted. To continue without importing a line twice, ",
    );
    expect(importing.stderr[0]).toMatch(says);
  });

  test("an export leaves no file", async () => {
    await using service = silent();
    const exporting = spawnRoster(["users", "export", file("cut.ndjson")], service);
    const left = () => readdirSync(folder).filter((name) => name.startsWith("cut"));
    await service.requested;
    expect(left()).toHaveLength(1);
    exporting.kill("SIGINT");
    expect(await exporting.exited).toMatchObject({ code: 130 });
    expect(left()).toEqual([]);
    expect(exporting.stderr.join()).toContain("Interrupted. Nothing was written to ");
  });
});

test("progress counts to the total, also without a last line break, with empty lines and with line breaks in cells", async () => {
  const rows = Array.from({ length: 62 }, (_, i) => `"Row\nbreaker ${i}",${i}`);
  const shown = async (args: string[]) =>
    (await runOnTerminal(["users", ...args], { cwd: folder, env: { ROSTER_URL: roster.url }, columns: 120 }))
      .screen;
  writeFileSync(
    file("end.csv"),
    `name,n\n${Array.from({ length: 64 }, (_, i) => `Progress ${i},${i}`).join("\n")}`,
  );
  expect(await shown(["import", "end.csv"])).toMatch(/100 % {2}65 of 65 lines/);
  writeFileSync(file("empty-lines.csv"), "name\nProgress\n\n\n");
  expect(await shown(["import", "empty-lines.csv"])).toMatch(/100 % {2}4 of 4 lines/);
  const lines = rows.map((row, i) => JSON.stringify({ name: `Breaker ${i}`, note: row }));
  writeFileSync(file("breakers.ndjson"), lines.join("\n"));
  expect(await shown(["import", "breakers.ndjson"])).toMatch(/100 % {2}62 of 62 lines/);
  expect(await shown(["export", "breakers.csv", "--q=breaker"])).toMatch(/100 % {2}62 of 62 users/);
  expect(await shown(["export", "breakers-out.ndjson", "--q=breaker"])).toMatch(/100 % {2}62 of 62 users/);
});

test("an import shows a progress bar on a terminal", async () => {
  const shown = await runOnTerminal(["users", "import", file("many.ndjson")], {
    env: { ROSTER_URL: roster.url },
  });
  expect(shown.code).toBe(0);
  expect(shown.screen).toContain("importing");
  expect(shown.screen).toContain("2,500 of 2,500");
});

test("an import shows its progress while results arrive", async () => {
  let isShown = false;
  let line = 0;
  const results = new ReadableStream<string>({
    async pull(controller) {
      if (line++ === MANY) return controller.close();
      controller.enqueue(`${JSON.stringify({ line, status: 201, id: line })}\n`);
      // The command redraws the bar at most ten times per second: results arrive slowly until it has.
      if (!isShown) await Bun.sleep(10);
    },
  });
  const headers = { "content-type": "application/x-ndjson" };
  await using service = Bun.serve({ port: 0, fetch: () => new Response(results, { headers }) });
  const bar = " of 2,500 lines";
  const shown = await runOnTerminal(["users", "import", file("many.ndjson")], {
    env: { ROSTER_URL: service.url.origin },
    typing: [
      [bar, ""],
      [
        bar,
        async () => {
          isShown = true;
          return "";
        },
      ],
    ],
  });
  expect({ isShown, ...shown }).toMatchObject({ isShown: true, code: 0 });
  const counts = [...shown.screen.matchAll(/importing +\d+ % +([\d,]+) of 2,500 lines/g)].map(
    ([, count]) => count,
  );
  expect(counts.length).toBeGreaterThan(2);
  expect(counts.at(-1)).toBe("2,500");
});

test("an import waits for the rate limit of its key, and completes", async () => {
  const database = join(temporaryFolder(), "limited.db");
  // 2,500 lines count as five requests.
  const options = ["--name=slow", "--scope=users:write", "--rate=2/1"];
  const key = keyOf(await keysOn(database)("create", ...options));
  const limited = await startRoster(database);
  const env = { ROSTER_URL: limited.url, ROSTER_API_KEY: key };
  const ran = await runRoster(["users", "import", file("many.ndjson")], { env });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toStartWith("Imported 2,500 users, 0 failed ");
});

test("an import updates users, renames columns, keeps codes as text, and can be checked first", async () => {
  const at = "@options.example";
  writeFileSync(file("codes.csv"), `Full name,Mail,zip\nZip,zip${at},01234\nZap,zap${at},567\n`);
  const options = ["codes.csv", "--map", "Full name=name", "--map", "Mail=email", "--text", "zip"];
  const checked = await users("import", ...options, "--dry-run");
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.stdout).toContain("Checked 2 lines: 2 created, 0 failed. Nothing was changed.");
  expect((await users("import", ...options)).stdout).toContain("Imported 2 users, 0 failed");
  const again = await users("import", ...options, "--on-conflict", "update");
  expect(again.stdout).toContain("Imported 0 users, 2 updated, 0 failed");
  expect((await users("import", ...options, "--on-conflict", "skip")).stdout).toContain("2 skipped");
  await users("export", "codes.ndjson", "--q", at);
  const records = linesOf(readFileSync(file("codes.ndjson"), "utf8")).map((line) => JSON.parse(line));
  expect(records.map(({ zip }) => zip)).toEqual(["01234", "567"]);
  for (const [flags, message] of [
    [["--on-conflict", "replace"], "--on-conflict"],
    [["--match", "badge"], "match: Enter email, userName, id or a field that is unique"],
    [["--text", "city"], "The file has no column city."],
    [["--map", "x"], "OLD=NEW"],
  ] as const) {
    const ran = await users("import", "codes.csv", ...flags);
    expect([ran.code, ran.stderr.includes(message)]).toEqual([2, true]);
  }
});
