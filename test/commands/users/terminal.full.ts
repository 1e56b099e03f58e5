import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Roster,
  runRoster,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { runOnTerminal, type TerminalOptions } from "../../support/process/terminal.ts";

setDefaultTimeout(120_000);

const RED = "\u001b[31mroster:\u001b[39m ";
const hostile = "\u202eevil\u009b31m\u001b]0;title\u0007\r\n";
const records = [
  { name: "Ada Lovelace", email: "ada@example.com", department: "engines", plan: "pro", note: hostile },
  {
    name: "山田太郎さんのとても長い名前 👩‍👩‍👧",
    email: "yamada@example.co.jp",
    department: "営業部",
    plan: "free",
  },
  { name: "Zoë\u202e\u2066 Nguyễn", department: "z".repeat(300), plan: "pro" },
  { name: "محمد بن سلمان", email: "m@example.com", department: ["a", { b: 1 }], plan: "pro" },
];

let roster: Roster;

beforeAll(async () => {
  roster = await startRoster(join(temporaryFolder(), "roster.db"));
  for (const record of records)
    expect((await roster.call("/api/users", { method: "POST", json: record })).status).toBe(201);
});
afterAll(stopAll);

/** Runs `roster users` on a terminal. */
function users(args: string[], options: TerminalOptions = {}) {
  return runOnTerminal(["users", ...args], { ...options, env: { ROSTER_URL: roster.url, ...options.env } });
}

async function createUser(name: string): Promise<number> {
  const { id }: { id: number } = await (
    await roster.call("/api/users", { method: "POST", json: { name } })
  ).json();
  return id;
}

const statusOf = async (id: number) => (await roster.call(`/api/users/${id}`)).status;
/** Characters that move the cursor or change the text direction. */
const CONTROL = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

describe("a list on a terminal", () => {
  test.each([40, 80, 200])("of %d columns fits, and contains no control characters", async (columns) => {
    const { code, screen } = await users(["list", "--limit=4"], { columns });
    expect(code).toBe(0);
    expect(screen.split("\n").filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
    expect(screen).not.toMatch(CONTROL);
    for (const text of ["Ada", "ada@example", "Zoë", "محمد"]) expect(screen).toContain(text);
  });

  test("shows as many custom fields as fit", async () => {
    const head = async (columns: number) =>
      (await users(["list", "--limit=2"], { columns })).screen.split("\n")[0];
    expect(await head(80)).toMatch(/^ID {2}NAME +EMAIL +UPDATED$/);
    expect(await head(200)).toMatch(/^ID {2}NAME +EMAIL +DEPARTMENT +PLAN +NOTE +UPDATED$/);
  });

  test("says how to continue after the last user shown", async () => {
    const { screen } = await users(["list", "--limit=3"]);
    expect(screen).toContain("\nShowing 3 of 4 users. To list all of them, add --all. To continue:\n");
    const [, after = ""] = /\n {2}roster users list --limit=3 --after (\S+)\n$/.exec(screen) ?? [];
    const next = await users(["list", "--after", after, "--limit=1", "--output=ndjson"]);
    expect(JSON.parse(next.screen.split("\n")[0] ?? "")).toMatchObject({ id: 4 });
  });

  test("accepts a sort order with a dash after a space", async () => {
    const { code, screen } = await users(["list", "--sort", "-id", "--limit=1", "--output=ndjson"], {
      columns: 1000,
    });
    expect(code).toBe(0);
    expect(JSON.parse(screen.split("\n")[0] ?? "")).toMatchObject({ id: 4 });
  });

  test("says whether there are no users or no matches", async () => {
    const empty = await startRoster(join(temporaryFolder(), "empty.db"));
    const env = { ROSTER_URL: empty.url };
    expect((await users(["list"], { env })).screen).toBe("No users yet.\n");
    expect((await users(["list", "--q=x"], { env })).screen).toBe("No users found.\n");
  });

  test("prints JSON with --output ndjson, and one user as JSON without control characters", async () => {
    const { screen } = await users(["list", "--limit=1", "--output=ndjson"], { columns: 1000 });
    expect(JSON.parse(screen.split("\n")[0] ?? "")).toMatchObject({ note: hostile });
    const one = await users(["get", "1"]);
    expect(one.screen).toStartWith('{\n  "id": 1,\n  "name": "Ada Lovelace",\n');
    expect(one.screen).not.toMatch(CONTROL);
    expect(JSON.parse(one.screen)).toMatchObject(records[0] ?? {});
  });
});

describe("control characters from data", () => {
  test("are escaped in JSON, whose value stays the same", async () => {
    const { screen } = await users(["list", "--limit=1", "--output=ndjson"], { columns: 1000 });
    expect(screen).not.toMatch(CONTROL);
    expect(screen).toContain("\\u202eevil\\u009b31m\\u001b]0;title\\u0007\\r\\n");
    expect(JSON.parse(screen.split("\n")[0] ?? "")).toMatchObject({ note: hostile });
  });

  test.each(["ndjson", "csv"])("are escaped in an export as %s to a terminal", async (format) => {
    const { code, screen } = await users(["export", "--format", format]);
    expect(code).toBe(0);
    expect(screen).not.toMatch(CONTROL);
    expect(screen).toContain("\\u202eevil\\u009b31m");
  });

  test("stay exact in a pipe", async () => {
    const env = { ROSTER_URL: roster.url };
    const csv = await runRoster(["users", "export", "--format", "csv"], { env });
    expect(csv.stdout).toContain(hostile);
    expect(csv.stdout).toBe(await (await roster.call("/api/users/export?format=csv")).text());
    const list = await runRoster(["users", "list", "--limit=1"], { env });
    expect(list.stdout).toContain("\u202eevil\u009b31m");
  });

  test("are replaced in the field names of failed lines and of a table", async () => {
    const file = join(temporaryFolder(), "hostile.ndjson");
    const field = `x\u009b2J\u001b]0;title\u0007\u200f\u202e\nroster: Done`;
    writeFileSync(file, `${JSON.stringify({ name: "Ada", email: "ada@", [field]: 1 })}\n`);
    const { code, screen } = await users(["import", file]);
    expect(code).toBe(1);
    // The command itself clears the line of its progress bar.
    expect(screen).toContain("x\ufffd2J\ufffd]0;title");
    expect(screen.replaceAll("\r", "").replaceAll("\u001b[K", "")).not.toMatch(CONTROL);
    expect(screen).not.toMatch(/^roster:/m);
  });

  test("cannot imitate a colour", async () => {
    const id = await createUser("Red");
    await roster.call(`/api/users/${id}`, {
      method: "PATCH",
      json: { "\u001b[31mred": "\u001b[31m\u001b[31;1;2;3;4m" },
    });
    for (const args of [
      ["get", String(id)],
      ["list", "--sort", "-id", "--limit=1"],
    ]) {
      const { screen } = await users(args, { env: { NO_COLOR: "" }, columns: 200 });
      expect(screen).not.toContain("\u001b[31");
    }
    await roster.call(`/api/users/${id}`, { method: "DELETE" });
  });
});

describe("colours", () => {
  test("appear only on a terminal, and not with NO_COLOR or TERM=dumb", async () => {
    const list = (env: Record<string, string>) => users(["list", "--limit=1"], { env });
    const { screen } = await list({ NO_COLOR: "" });
    expect(screen).toStartWith("\u001b[2mID ");
    expect(screen).toContain("UPDATED\u001b[22m\n");
    expect((await list({})).screen).not.toContain("\u001b");
    expect((await list({ NO_COLOR: "", TERM: "dumb" })).screen).not.toContain("\u001b");
    const piped = await runRoster(["users", "get", "99"], { env: { ROSTER_URL: roster.url, TERM: "xterm" } });
    expect(piped.stderr).toBe("roster: There is no user 99.\n");
  });

  test("highlight an error", async () => {
    const { code, screen } = await users(["get", "99"], { env: { NO_COLOR: "" } });
    expect({ code, screen }).toEqual({ code: 3, screen: `${RED}There is no user 99.\n` });
  });
});

describe("a delete on a terminal", () => {
  const prompt = "[y/N] ";

  test.each(["y\r", "YES\r"])("deletes after the answer %j", async (keys) => {
    const id = await createUser("Goner");
    const { code, screen } = await users(["delete", String(id)], { typing: [[prompt, keys]] });
    expect(code).toBe(0);
    expect(screen).toStartWith(`Delete user ${id}, Goner? ${prompt}`);
    expect(screen).toEndWith(`\n✓ Deleted user ${id}.\n`);
    expect(await statusOf(id)).toBe(404);
  });

  test("shows several users, asks once and deletes those that have not changed", async () => {
    const ids = [await createUser("One"), await createUser("Two"), await createUser("Three")];
    const [one, two] = ids;
    const change = async () => {
      await roster.call(`/api/users/${two}`, { method: "PATCH", json: { level: 2 } });
      return "y\r";
    };
    const { code, screen } = await users(["delete", ...ids.map(String)], { typing: [[prompt, change]] });
    expect(screen).toStartWith(`  user ${one}, One\n`);
    expect(screen).toContain(`Delete these 3 users? ${prompt}`);
    expect(screen).toContain(`\nUser ${two} is at version 2 now.`);
    expect(screen).toEndWith("\nroster: Deleted 2 of 3 users.\n");
    expect(code).toBe(1);
    expect(await Promise.all(ids.map(statusOf))).toEqual([404, 200, 404]);
  });

  test("does not delete after any other answer, no answer, or Ctrl+D", async () => {
    const id = await createUser("Stayer");
    for (const keys of ["n\r", "\r", "yesterday\r", "\u0004"]) {
      const { code, screen } = await users(["delete", String(id)], { typing: [[prompt, keys]] });
      expect({ keys, code }).toEqual({ keys, code: 1 });
      expect(screen).toEndWith("\nroster: Cancelled. Nothing was changed.\n");
    }
    const interrupted = await users(["delete", String(id)], { typing: [[prompt, "\u0003"]] });
    expect(interrupted.code).not.toBe(0);
    expect(await statusOf(id)).toBe(200);
  });

  test("does not delete a user that changed during the prompt", async () => {
    const id = await createUser("Changer");
    const change = async () => {
      await roster.call(`/api/users/${id}`, { method: "PATCH", json: { level: 2 } });
      return "y\r";
    };
    const { code, screen } = await users(["delete", String(id)], { typing: [[prompt, change]] });
    expect(code).toBe(4);
    expect(screen).toContain(`User ${id} is at version 2 now.`);
    expect(await statusOf(id)).toBe(200);
  });

  test("asks with a name that cannot change the question", async () => {
    const id = await createUser("Innocent\u202e]n/Y[ ?eno ydobon eteleD");
    const { screen } = await users(["delete", String(id)], { typing: [[prompt, "n\r"]] });
    expect(screen).not.toMatch(CONTROL);
    expect(await statusOf(id)).toBe(200);
  });
});
