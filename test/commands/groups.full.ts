import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";
import { expectError } from "./support/commands.ts";

setDefaultTimeout(120_000);

/** More than one request of members takes. */
const SIZE = 1002;

const folder = temporaryFolder();
let roster: Roster;
const env = () => ({ ROSTER_URL: roster.url });
const groups = (...args: string[]) => runRoster(["groups", ...args], { env: env() });
const onTerminal = (args: string[], options: Parameters<typeof runOnTerminal>[1] = {}) =>
  runOnTerminal(["groups", ...args], { ...options, env: { ...env(), ...options.env } });

/** Runs `roster groups` with this text on stdin. */
const withStdin = (input: string, ...args: string[]) =>
  runCommand(["sh", "-c", `printf '%s' "$INPUT" | ${shellCommand(["groups", ...args])}`], {
    env: { ...env(), INPUT: input },
  });

async function createGroup(name: string, ...users: number[]): Promise<number> {
  const { id } = await (await roster.call("/api/groups", { method: "POST", json: { name } })).json();
  if (users.length > 0) await groups("add", String(id), ...users.map(String));
  return id;
}

const versionOf = async (id: number) => (await (await roster.call(`/api/groups/${id}`)).json()).version;

beforeAll(async () => {
  roster = await startRoster(join(folder, "roster.db"));
  const body = Array.from({ length: SIZE }, (_, index) => `{"name":"User ${index + 1}"}\n`).join("");
  const headers = { "content-type": "application/x-ndjson" };
  await (await roster.call("/api/users/import", { method: "POST", body, headers })).text();
});
afterAll(stopAll);

describe("ids on stdin", () => {
  test("come from a list of users, in as many requests as they take", async () => {
    const id = await createGroup("Piped", 1, 2);
    const list = `${shellCommand(["users", "list", "--all", "--columns=id"])} | tr -dc '0-9\\n'`;
    const added = await runCommand(
      ["sh", "-c", `${list} | ${shellCommand(["groups", "add", "piped", "-"])}`],
      {
        env: env(),
      },
    );
    expect(added).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "Added 1,000 members to group piped. 2 unchanged.\n",
    });
    // One for the group, one for the first two members, and one for each request.
    expect(await versionOf(id)).toBe(4);
  });

  test("can have empty lines and line ends of any kind, and no ids", async () => {
    await createGroup("Lines");
    expect((await withStdin("\n7\r\n\n 8 \n7", "add", "lines", "-")).stderr).toBe(
      "Added 2 members to group lines.\n",
    );
    expect((await withStdin("", "remove", "lines", "-")).stderr).toBe(
      "Removed 0 members from group lines.\n",
    );
  });

  test("name the line that is not an id, and say what is done after an error", async () => {
    await createGroup("Failing");
    expectError(await withStdin('7\n{"id":8}\n', "add", "failing", "-"), 2, "Line 2 of stdin is not the id");
    const ids = [...Array.from({ length: 1000 }, (_, index) => index + 1), 999_999];
    const ended = await withStdin(ids.join("\n"), "add", "failing", "-");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toBe(
      "The first 1,000 ids are done. To continue, run the same command again.\nroster: There is no user 999999.\n",
    );
    const versioned = await withStdin(ids.join("\n"), "add", "failing", "-", "--if-version=1");
    expectError(versioned, 2, "--if-version takes at most 1,000 ids.");
  });
});

describe("on a terminal", () => {
  test("a list is a table with the number of members", async () => {
    await createGroup("Tabular", 1, 2, 3);
    const { code, screen } = await onTerminal(["list", "--q", "tabular"]);
    expect(code).toBe(0);
    const [head, row] = screen.split("\n");
    expect(head).toMatch(/^ *ID +NAME +MEMBERS +UPDATED$/);
    expect(row).toMatch(/^ *\d+ +Tabular +3 +\d{4}-\d\d-\d\d \d\d:\d\d$/);
  });

  test("a delete asks with the names and the numbers of members, and deletes only what it showed", async () => {
    const [one, two] = [await createGroup("Goner", 1), await createGroup("Stayer")];
    const single = `Delete group ${one}, Goner (1 member) for good? [y/N] `;
    const kept = await onTerminal(["delete", "goner"], { typing: [["[y/N] ", "n\r"]] });
    expect(kept.screen).toStartWith(single);
    expect(kept.code).toBe(1);
    const addMember = async () => {
      await roster.call(`/api/groups/${two}/members/1`, { method: "PUT" });
      return "y\r";
    };
    const { code, screen } = await onTerminal(["delete", "goner", "stayer"], {
      typing: [["[y/N] ", addMember]],
    });
    expect(code).toBe(1);
    expect(screen).toStartWith(`  group ${one}, Goner (1 member)\n  group ${two}, Stayer (0 members)\n`);
    expect(screen).toContain("Delete these 2 groups for good? [y/N] ");
    expect(screen).toContain(`\nGroup ${two} is at version 2 now.`);
    expect(screen).toEndWith("\nroster: Deleted 1 of 2 groups.\n");
  });

  test("an edit replaces the group, and says how to continue after a conflict", async () => {
    const id = await createGroup("Edited");
    const edit = (...script: string[]) => {
      const path = join(folder, `editor-${crypto.randomUUID()}`);
      writeFileSync(path, `#!/bin/sh\n${script.join("\n")}\n`, { mode: 0o700 });
      return onTerminal(["edit", "edited"], { env: { EDITOR: path } });
    };
    const saved = await edit('sed -i s/Edited/EDITED/ "$1"');
    expect(saved.screen).toContain('"name": "EDITED"');
    const change = shellCommand(["groups", "update", String(id), "region=1", "--url", roster.url]);
    const raced = await edit(`${change} > "$0.out"`, 'sed -i s/EDITED/Raced/ "$1"');
    expect(raced.code).toBe(4);
    expect(raced.screen).toContain("To see the group as it is now:");
    expect(raced.screen).toContain(`\n  roster groups replace ${id} - --if-version 3 < `);
    expect(raced.screen).toEndWith("roster: The group was not changed.\n");
  });
});
