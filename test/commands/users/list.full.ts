import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import {
  type CommandResult,
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { runOnTerminal } from "../../support/process/terminal.ts";

setDefaultTimeout(120_000);

let roster: Roster;
const env = () => ({ ROSTER_URL: roster.url });

beforeAll(async () => {
  roster = await startRoster(join(temporaryFolder(), "roster.db"));
  const lines = Array.from({ length: 1205 }, (_, i) =>
    JSON.stringify({
      name: `User ${i + 1}`,
      email: `u${i + 1}@example.com`,
      part: i % 2,
      address: { city: `City, ${i + 1}`, zip: i },
    }),
  );
  const headers = { "content-type": "application/x-ndjson" };
  const response = await roster.call("/api/users/import", {
    method: "POST",
    body: lines.join("\n"),
    headers,
  });
  expect((await response.text()).trim().split("\n")).toHaveLength(1205);
});
afterAll(stopAll);

function users(...args: string[]): Promise<CommandResult> {
  return runRoster(["users", ...args], { env: env() });
}

const linesOf = ({ stdout }: CommandResult) => stdout.split("\n").slice(0, -1);

describe("a list that stops at its limit", () => {
  test("says so on stderr in a pipe, with the number of users and a command that continues the list", async () => {
    const list = await users("list", "--where", "part=0", "--q", "o'user 1' or");
    expect(list).toMatchObject({ code: 0, stderr: "No users found.\n" });
    const first = await users("list", "--where", "part=0", "--q", "user", "--columns=id");
    expect(first.code).toBe(0);
    expect(linesOf(first)).toHaveLength(100);
    const [message, command, ...more] = first.stderr.split("\n");
    expect(message).toBe("Showing 100 of 603 users. To list all of them, add --all. To continue:");
    expect(command).toStartWith("  roster users list --where part=0 --q user --columns=id --after ");
    expect(more).toEqual([""]);
    const next = await runCommand(["sh", "-c", `roster() { ${shellCommand([])} "$@"; }; ${command}`], {
      env: env(),
    });
    expect(next.stdout).toStartWith('{"id":201}\n{"id":203}\n');
    expect(linesOf(next)).toHaveLength(100);
    expect(next.stderr.match(/--after/g)).toHaveLength(1);
  });

  test("quotes words of the next command for a shell", async () => {
    const { stderr } = await users("list", "--limit", "1", "--q", "user 1", "--where=part=0");
    expect(stderr).toContain("\n  roster users list --limit 1 --q 'user 1' --where=part=0 --after ");
  });

  test("--all lists everyone, and says nothing more", async () => {
    const all = await users("list", "--all", "--columns", "id");
    expect(all).toMatchObject({ code: 0, stderr: "" });
    expect(linesOf(all)).toHaveLength(1205);
    expect(linesOf(all).at(-1)).toBe('{"id":1205}');
  });
});

describe("--explain", () => {
  test("prints how the first page is found, and no users", async () => {
    const piped = await users("list", "--where", "part=0", "--limit", "20", "--columns=id", "--explain");
    expect(piped).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(piped.stdout)).toMatchObject({
      order: "id",
      plan: { kind: "index", condition: "part" },
      ...{ rowsRead: 21, found: 20, hasMore: true },
    });
    const sorted = await users(
      "list",
      "--filter",
      "part eq 0",
      "--sort=-name",
      "--all",
      "--explain",
      "-o",
      "json",
    );
    expect(sorted.stdout).toStartWith('{\n  "order": "-name",\n');
    // With --all, a page has 1,000 users.
    expect(JSON.parse(sorted.stdout)).toMatchObject({ found: 603, hasMore: false });
  });

  test("prints tables on a terminal, also for the next page", async () => {
    const { stderr } = await users("list", "--limit=5", "--q=user");
    const [, cursor = ""] = /--after (\S+)/.exec(stderr) ?? [];
    const args = ["users", "list", "--q=user", "--limit=5", "--after", cursor, "--explain"];
    const { screen } = await runOnTerminal(args, { env: env() });
    expect(screen).toContain("plan       walk");
    expect(screen).toContain("ROUND  FOR   PLAN  EXPECTED ROWS  LIMIT  ROWS READ  MATCHES");
  });

  test("refuses csv, and what the service refuses", async () => {
    const csv = await users("list", "--explain", "--output=csv");
    expect(csv).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "roster: --explain prints no csv. Use --output table, json or ndjson.\n",
    });
    const invalid = await users("list", "--explain", "--after=x");
    expect(invalid).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Invalid --after."),
    });
  });
});

describe("--output", () => {
  test("json prints one array, also over several pages and without users", async () => {
    const all = await users("list", "--all", "--output=json");
    expect(all.stderr).toBe("");
    expect(JSON.parse(all.stdout)).toHaveLength(1205);
    expect(all.stdout).toStartWith('[\n{"id":1,"name":"User 1",');
    expect((await users("list", "--q=nobody", "--output=json")).stdout).toBe("[]\n");
  });

  test("csv prints the same as an export, and with --columns only these", async () => {
    const exported = (await users("export", "--format=csv")).stdout;
    expect(await users("list", "--all", "--output=csv")).toMatchObject({ stdout: exported, stderr: "" });
    const some = await users("list", "--limit=2", "--output=csv");
    expect(linesOf(some)).toEqual(exported.split("\n").slice(0, 3));
    const columns = await users("list", "--limit=2", "--output=csv", "--columns=id,address.city,part");
    expect(columns.stdout).toBe(
      'id,address.city,part\n1,"City, 1",0\n2,"City, 2",1\n'.replaceAll("\n", "\r\n"),
    );
  });

  test("table prints a table in a pipe too, as wide as it needs", async () => {
    const table = await users("list", "--limit=2", "--output=table");
    expect(linesOf(table)[0]).toMatch(/^ID {2}NAME +EMAIL +PART +ADDRESS +UPDATED$/);
    expect(table.stdout).toContain('  {"city":"City, 1","zip":0}  ');
  });

  test("of one user: table, json, ndjson and csv", async () => {
    const get = async (output: string) =>
      (await users("get", "7", `--output=${output}`, "--columns=id,email,address.city")).stdout;
    expect(await get("table")).toBe(
      "FIELD         VALUE\nid            7\nemail         u7@example.com\naddress.city  City, 7\n",
    );
    const json = { id: 7, email: "u7@example.com", address: { city: "City, 7" } };
    expect(await get("json")).toBe(`${JSON.stringify(json, undefined, 2)}\n`);
    expect(await get("ndjson")).toBe(`${JSON.stringify(json)}\n`);
    expect(await get("csv")).toBe('id,email,address.city\r\n7,u7@example.com,"City, 7"\r\n');
  });

  test("reports columns that no user has", async () => {
    const ran = await users("list", "--limit=2000", "--columns=id,emial,address.town");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe(
      "None of these users has the field emial.\nNone of these users has the field address.town.\n",
    );
  });

  test("on a terminal keeps the columns of the first page on all pages", async () => {
    const { code, screen } = await runOnTerminal(["users", "list", "--all"], { env: env() });
    expect(code).toBe(0);
    const lines = screen.split("\n").slice(0, -1);
    expect(lines).toHaveLength(1206);
    expect(lines.filter((line) => line.includes("NAME"))).toHaveLength(1);
    expect(new Set(lines.slice(1).map((line) => line.indexOf("@example.com") > 0))).toEqual(new Set([true]));
    expect(lines.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
  });
});

describe("count", () => {
  test("prints only the number", async () => {
    expect(await users("count")).toMatchObject({ code: 0, stdout: "1205\n", stderr: "" });
    expect((await users("count", "--where=part=1", "--q=user")).stdout).toBe("602\n");
    expect((await users("count", "--q=nobody")).stdout).toBe("0\n");
  });

  test("counts more users than the service counts, one by one", async () => {
    const count = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        url.includes("count=true")
          ? Response.json([], { headers: { "x-total-count": "100000", "x-total-count-capped": "true" } })
          : new Response('{"id":1}\n'.repeat(123_456), {
              headers: { "content-type": "application/x-ndjson" },
            }),
    });
    const ran = await runRoster(["users", "count", "--q=x"], { env: { ROSTER_URL: count.url.origin } });
    await count.stop(true);
    expect(ran).toMatchObject({ code: 0, stdout: "123456\n", stderr: "" });
  });
});

describe("filter, sort and fields", () => {
  test("select users, order them and choose their fields", async () => {
    const listed = await users(
      ..."list --sort -address.zip --limit 2 --fields name,address.city".split(" "),
      "--filter",
      'part eq 1 and name sw "user 12"',
    );
    expect(linesOf(listed)).toEqual([
      '{"id":1204,"name":"User 1204","address":{"city":"City, 1204"},"version":1}',
      '{"id":1202,"name":"User 1202","address":{"city":"City, 1202"},"version":1}',
    ]);
    expect(listed.stderr).toContain("Showing 2 of 9 users.");
    expect(listed.stderr).toContain(` --filter 'part eq 1 and name sw "user 12"' --after `);
  });

  test("are the columns of a table and of CSV", async () => {
    const csv = await users("list", "--limit=1", "--output=csv", "--fields", "id, address.city");
    expect(csv.stdout).toBe('id,address.city\r\n1,"City, 1"\r\n');
    const table = await users("list", "--limit=1", "--output=table", "--fields=id,address.city");
    expect(table.stdout.split("\n")[0]).toMatch(/^ *ID +ADDRESS\.CITY$/);
    const exported = await users(
      "export",
      "--format=csv",
      "--fields=name,id",
      "--filter=id le 2",
      "--sort=-name",
    );
    expect(exported.stdout).toBe("name,id,version\r\nUser 2,2,1\r\nUser 1,1,1\r\n");
  });

  test("apply to a count", async () => {
    expect((await users("count", "--filter", "address.zip lt 10 or part eq 7")).stdout).toBe("10\n");
  });

  test("point at the invalid character of an expression", async () => {
    for (const command of ["list", "count", "export"]) {
      const { code, stderr } = await users(command, "--filter", "part eq 1 and level is 3");
      expect(code).toBe(2);
      const [message, expression, caret] = stderr.split("\n");
      expect(message).toStartWith("roster: --filter: Character 21: expected an operator (");
      expect(expression).toBe("  part eq 1 and level is 3");
      expect(caret).toBe("                      ^");
    }
  });

  test("reject what cannot be a field, without a request", async () => {
    for (const flags of [
      ["--sort", "a..b"],
      ["--fields", "id,,name"],
      ["--where", "filter=x"],
    ]) {
      expect((await users("list", ...flags)).code).toBe(2);
    }
    expect((await users("list", "--where", "filter=x")).stderr).toBe(
      `roster: You cannot filter by a field called filter with --where. Use --filter 'filter eq "x"'.\n`,
    );
    for (const [condition, members] of [
      ["group=x", 'groups.name eq "x"'],
      ["groups=7", "groups eq 7"],
    ] as const) {
      expect((await users("list", "--where", condition)).stderr).toContain(
        ` with --where. For the members of a group, use --filter '${members}'. For a custom field, use --filter '`,
      );
    }
  });
});

describe("fields", () => {
  const fields = (...args: string[]) => runRoster(["fields", ...args], { env: env() });

  test("list prints the custom fields with their types", async () => {
    expect(await fields("list")).toMatchObject({
      code: 0,
      stdout: '{"name":"address","types":["object"]}\n{"name":"part","types":["number"]}\n',
      stderr: "",
    });
    expect((await fields("list", "--output=table")).stdout).toBe(
      "NAME     TYPES\naddress  object\npart     number\n",
    );
  });

  test("values prints the values of a field, or that there are none", async () => {
    expect(await fields("values", "part")).toMatchObject({ code: 0, stdout: "0\n1\n", stderr: "" });
    expect(await fields("values", "part", "--output=table")).toMatchObject({ stdout: "VALUE\n0\n1\n" });
    expect(await fields("values", "part", "--prefix=x")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No values found.\n",
    });
    expect((await fields("values", "none", "--output=json")).stdout).toBe("[]\n");
    expect(await fields("values", "email")).toMatchObject({ code: 3, stdout: "" });
    expect(await fields("values", "a.b")).toMatchObject({ code: 2, stdout: "" });
  });
});
