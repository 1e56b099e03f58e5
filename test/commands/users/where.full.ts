import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { type CommandResult, type Roster, runRoster, startRoster } from "../../support/process/roster.ts";
import { runOnTerminal, type TerminalOptions } from "../../support/process/terminal.ts";
import { cleanUp, createDatabase, expectError, flags } from "../support/commands.ts";

setDefaultTimeout(120_000);

const PROMPT = "[y/N] ";

onEachEngine((engine) => {
  let roster: Roster;
  let groups = 0;
  beforeAll(async () => {
    roster = await startRoster(await createDatabase(engine), { flags });
  }, 120_000);
  afterAll(cleanUp);

  /** Runs `roster users` in a pipe. */
  const users = (...args: string[]): Promise<CommandResult> =>
    runRoster(["users", ...args], { env: { ROSTER_URL: roster.url } });
  const onTerminal = (args: string[], typing: TerminalOptions["typing"] = []) =>
    runOnTerminal(["users", ...args], { typing, columns: 80, env: { ROSTER_URL: roster.url } });
  /** Creates users in a group of their own. */
  const createGroup = async (count: number) => {
    const group = `w${++groups}`;
    const lines = Array.from({ length: count }, (_, n) => `${JSON.stringify({ name: `U${n}`, group, n })}\n`);
    const headers = { "content-type": "application/x-ndjson" };
    await (await roster.call("/api/users/import", { method: "POST", body: lines.join(""), headers })).text();
    return { group, match: `group eq "${group}"` };
  };
  const listGroup = async (group: string): Promise<{ id: number; version: number; plan?: string }[]> =>
    (await roster.call(`/api/users?group=${group}&limit=1000`)).json();

  describe("roster users update --where", () => {
    test("changes every user that matches, in a pipe", async () => {
      const { group, match } = await createGroup(700);
      const ran = await users("update", "--where", `${match} and n lt 600`, "plan=pro", "n=0", "--yes");
      expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "Changed 600 users.\n" });
      const changed = (await listGroup(group)).filter(({ plan, version }) => plan === "pro" && version === 2);
      expect(changed).toHaveLength(600);
      const nobody = await users("update", "--where", `${match} and n eq -1`, "plan=pro", "--yes");
      expect(nobody).toMatchObject({ code: 0, stdout: "", stderr: "No users match.\n" });
    });

    test("counts, asks and shows its progress on a terminal", async () => {
      const { group, match } = await createGroup(3);
      const args = ["update", "--where", match, "plan=pro"];
      const question = `Change 3 users where ${match}? ${PROMPT}`;
      const refused = await onTerminal(args, [[PROMPT, "n\r"]]);
      expect(refused.code).toBe(1);
      expect(refused.screen).toStartWith(question);
      expect(refused.screen).toEndWith("\nroster: Cancelled. Nothing was changed.\n");
      const { code, screen } = await onTerminal(args, [[PROMPT, "y\r"]]);
      expect(code).toBe(0);
      expect(screen).toContain("100 %  3 of 3 users");
      expect(screen).toEndWith("\n✓ Changed 3 users.\n");
      expect((await listGroup(group)).map(({ version }) => version)).toEqual([2, 2, 2]);
    });

    test("without --yes changes nothing in a pipe", async () => {
      const { group, match } = await createGroup(2);
      expectError(
        await users("update", "--where", match, "plan=pro"),
        2,
        `Change 2 users where ${match}? Not a terminal: add --yes to confirm.`,
      );
      expect((await listGroup(group)).map(({ version }) => version)).toEqual([1, 1]);
    });

    test("prints each user that could not be changed, and exits with 1", async () => {
      const { group, match } = await createGroup(3);
      const ran = await users("update", "--where", match, `email=${group}@example.com`, "--yes");
      const [, second, third] = (await listGroup(group)).map(({ id }) => id);
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toBe(
        [second, third]
          .map((id) => `user ${id}: email: ${group}@example.com is already in use.\n`)
          .join("")
          .concat("roster: Changed 1 of 3 users.\n"),
      );
    });

    test("changes several users by their ids, too", async () => {
      const { group } = await createGroup(3);
      const [first = 0, second = 0] = (await listGroup(group)).map(({ id }) => id);
      const ran = await users("update", String(first), String(second), "plan=pro");
      expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "Changed 2 users.\n" });
      expect((await listGroup(group)).map(({ plan }) => plan)).toEqual(["pro", "pro", undefined]);
    });
  });

  describe("roster users delete --where", () => {
    test("deletes every user that matches, in a pipe and on a terminal", async () => {
      const { group, match } = await createGroup(600);
      const ran = await users("delete", "--where", `${match} and n ge 2`, "--yes");
      expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "Deleted 598 users.\n" });
      expectError(await users("delete", "--where", match), 2, "Delete 2 users where", "--yes");
      const { code, screen } = await onTerminal(["delete", "--where", match], [[PROMPT, "y\r"]]);
      expect(code).toBe(0);
      expect(screen).toStartWith(`Delete 2 users where ${match}? ${PROMPT}`);
      expect(screen).toEndWith("\n✓ Deleted 2 users.\n");
      expect(await listGroup(group)).toEqual([]);
    });

    test("deletes several users by their ids in one request", async () => {
      const { group } = await createGroup(2);
      const ids = (await listGroup(group)).map(({ id }) => String(id));
      const deleted = await users("delete", ...ids, ...ids, "--yes");
      expect(deleted).toMatchObject({ code: 0, stdout: "", stderr: "Deleted 2 users.\n" });
      const again = await users("delete", ...ids, "--yes");
      expect(again).toMatchObject({ code: 1, stdout: "" });
      expect(again.stderr).toBe(
        `${ids.map((id) => `There is no user ${id}.\n`).join("")}roster: Deleted 0 of 2 users.\n`,
      );
    });
  });

  test("an invalid expression is marked, and nothing is sent", async () => {
    for (const args of [
      ["delete", "--yes", "--where", "level is 3"],
      ["update", "a=1", "--yes", "--where", "level is 3"],
    ]) {
      const ran = await users(...args);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toStartWith("roster: --where: Character 7: expected an operator (");
      expect(ran.stderr).toEndWith("\n  level is 3\n        ^\n");
    }
    const plain = await users("delete", "--yes", "--where", "plan=pro");
    expect(plain.stderr).toContain('Did you mean plan eq "pro"?');
  });
});

test.each([
  [["delete", "--yes"], "ID is required"],
  [["delete", "--yes", "--where="], "--where: Character 1: expected a field name"],
  [["delete", "1", "--yes", "--where=id eq 1"], "Use either ids or --where."],
  [["delete", "--yes", "--where=id eq 1", "--if-version=1"], "--if-version takes only one ID."],
  [["update", "plan=pro"], "ID is required"],
  [["update", "1", "plan=pro", "--where=id eq 1"], "Use either ids or --where."],
  [["update", "--where=id eq 1", "--yes"], "Add fields as FIELD=VALUE"],
  [["update", "1", "x", "plan=pro"], "ID=1 x is invalid."],
  [["update", "1", "2", "plan=pro", "--output=csv"], "are for a single user."],
])("%j is invalid usage", async (args, text) => {
  const ran = await runRoster(["users", ...args]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(text);
});
