import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { type CommandResult, type Roster, runRoster, startRoster } from "../../support/process/roster.ts";
import { runOnTerminal, type TerminalOptions } from "../../support/process/terminal.ts";
import { cleanUp, createDatabase, expectError, flags } from "../support/commands.ts";

setDefaultTimeout(120_000);

const PROMPT = "[y/N] ";

onEachEngine((engine) => {
  let roster: Roster;
  let cohorts = 0;
  beforeAll(async () => {
    roster = await startRoster(await createDatabase(engine), { flags });
  }, 120_000);
  afterAll(cleanUp);

  /** Runs `roster users` in a pipe. */
  const users = (...args: string[]): Promise<CommandResult> =>
    runRoster(["users", ...args], { env: { ROSTER_URL: roster.url } });
  const onTerminal = (args: string[], typing: TerminalOptions["typing"] = []) =>
    runOnTerminal(["users", ...args], { typing, columns: 80, env: { ROSTER_URL: roster.url } });
  /** Creates users in a cohort of their own. */
  const createCohort = async (count: number) => {
    const cohort = `w${++cohorts}`;
    const lines = Array.from(
      { length: count },
      (_, n) => `${JSON.stringify({ name: `U${n}`, cohort, n })}\n`,
    );
    const headers = { "content-type": "application/x-ndjson" };
    await (await roster.call("/api/users/import", { method: "POST", body: lines.join(""), headers })).text();
    return { cohort, match: `cohort eq "${cohort}"` };
  };
  const listCohort = async (
    cohort: string,
  ): Promise<{ id: number; version: number; plan?: string; n?: number }[]> =>
    (await roster.call(`/api/users?cohort=${cohort}&limit=1000`)).json();

  describe("roster users update --filter", () => {
    test("changes every user that matches, in a pipe", async () => {
      const { cohort, match } = await createCohort(700);
      const ran = await users("update", "--filter", `${match} and n lt 600`, "plan=pro", "n=0", "--yes");
      expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "Changed 600 users.\n" });
      const changed = (await listCohort(cohort)).filter(
        ({ plan, version }) => plan === "pro" && version === 2,
      );
      expect(changed).toHaveLength(600);
      const nobody = await users("update", "--filter", `${match} and n eq -1`, "plan=pro", "--yes");
      expect(nobody).toMatchObject({ code: 0, stdout: "", stderr: "No users match.\n" });
    });

    test("counts, asks and shows its progress on a terminal", async () => {
      const { cohort, match } = await createCohort(3);
      const args = ["update", "--filter", match, "plan=pro"];
      const question = `Change 3 users where ${match}? ${PROMPT}`;
      const refused = await onTerminal(args, [[PROMPT, "n\r"]]);
      expect(refused.code).toBe(1);
      expect(refused.screen).toStartWith(question);
      expect(refused.screen).toEndWith("\nroster: Cancelled. Nothing was changed.\n");
      const { code, screen } = await onTerminal(args, [[PROMPT, "y\r"]]);
      expect(code).toBe(0);
      expect(screen).toContain("100 %  3 of 3 users");
      expect(screen).toEndWith("\n✓ Changed 3 users.\n");
      expect((await listCohort(cohort)).map(({ version }) => version)).toEqual([2, 2, 2]);
    });

    test("without --yes changes nothing in a pipe", async () => {
      const { cohort, match } = await createCohort(2);
      expectError(
        await users("update", "--filter", match, "plan=pro"),
        2,
        `Change 2 users where ${match}? Not a terminal: add --yes to confirm.`,
      );
      expect((await listCohort(cohort)).map(({ version }) => version)).toEqual([1, 1]);
    });

    test("prints each user that could not be changed, and exits with 1", async () => {
      const { cohort, match } = await createCohort(3);
      const ran = await users("update", "--filter", match, `email=${cohort}@example.com`, "--yes");
      const [, second, third] = (await listCohort(cohort)).map(({ id }) => id);
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toBe(
        [second, third]
          .map((id) => `user ${id}: email: ${cohort}@example.com is already in use.\n`)
          .join("")
          .concat("roster: Changed 1 of 3 users.\n"),
      );
    });

    test("changes several users by their ids, too", async () => {
      const { cohort } = await createCohort(3);
      const [first = 0, second = 0] = (await listCohort(cohort)).map(({ id }) => id);
      const ran = await users("update", String(first), String(second), "plan=pro");
      expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "Changed 2 users.\n" });
      expect((await listCohort(cohort)).map(({ plan }) => plan)).toEqual(["pro", "pro", undefined]);
    });
  });

  describe("roster users delete --filter", () => {
    test("deletes every user that matches, in a pipe and on a terminal", async () => {
      const { cohort, match } = await createCohort(600);
      const ran = await users("delete", "--filter", `${match} and n ge 2`, "--yes");
      expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "Deleted 598 users.\n" });
      expectError(await users("delete", "--filter", match), 2, "Delete 2 users where", "--yes");
      const { code, screen } = await onTerminal(["delete", "--filter", match], [[PROMPT, "y\r"]]);
      expect(code).toBe(0);
      expect(screen).toStartWith(`Delete 2 users where ${match}? ${PROMPT}`);
      expect(screen).toEndWith("\n✓ Deleted 2 users.\n");
      expect(await listCohort(cohort)).toEqual([]);
    });

    test("deletes several users by their ids in one request", async () => {
      const { cohort } = await createCohort(2);
      const ids = (await listCohort(cohort)).map(({ id }) => String(id));
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
      ["delete", "--yes", "--filter", "level is 3"],
      ["update", "a=1", "--yes", "--filter", "level is 3"],
    ]) {
      const ran = await users(...args);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toStartWith("roster: --filter: Character 7: expected an operator (");
      expect(ran.stderr).toEndWith("\n  level is 3\n        ^\n");
    }
    const plain = await users("delete", "--yes", "--filter", "plan=pro");
    expect(plain.stderr).toContain(`Use --filter 'plan eq "pro"'.`);
  });

  describe("roster users update and delete --where", () => {
    test("change the users that a list with the same --where shows", async () => {
      const { cohort } = await createCohort(10);
      const selection = [`--where=cohort=${cohort}`, "--where=n=3", "--where=n=4", "--where=n=99"];
      expect((await users("count", ...selection)).stdout).toBe("2\n");
      const updated = await users("update", ...selection, "plan=pro", "--yes");
      expect(updated).toMatchObject({ code: 0, stdout: "", stderr: "Changed 2 users.\n" });
      const changed = (await listCohort(cohort)).filter(({ version }) => version === 2);
      expect(changed.map(({ n, plan }) => [n, plan])).toEqual([
        [3, "pro"],
        [4, "pro"],
      ]);
      const deleted = await users("delete", `--where=cohort=${cohort}`, "--where", "plan=pro", "--yes");
      expect(deleted).toMatchObject({ code: 0, stdout: "", stderr: "Deleted 2 users.\n" });
      expect(await listCohort(cohort)).toHaveLength(8);
    });

    test("find numbers and booleans by their text", async () => {
      const { cohort } = await createCohort(0);
      for (const level of [3, "3", 30]) {
        await roster.call("/api/users", {
          method: "POST",
          json: { name: "L", cohort, level, active: level === 3 },
        });
      }
      const numbers = await users("update", `--where=cohort=${cohort}`, "--where=level=3", "a=1", "--yes");
      expect(numbers.stderr).toBe("Changed 2 users.\n");
      const booleans = await users("delete", `--where=cohort=${cohort}`, "--where=active=true", "--yes");
      expect(booleans.stderr).toBe("Deleted 1 user.\n");
    });

    test("--filter narrows the users of --where, and every --filter counts", async () => {
      const { cohort } = await createCohort(10);
      const ofCohort = `--where=cohort=${cohort}`;
      const both = await users("delete", ofCohort, "--filter", "n lt 2 or n gt 7", "--yes");
      expect(both.stderr).toBe("Deleted 4 users.\n");
      const filters = ["--filter", "n lt 4 or n gt 6", "--filter", "n ge 3 or n lt 0"];
      expect((await users("count", ofCohort, ...filters)).stdout).toBe("2\n");
      expectError(
        await users("delete", ofCohort, ...filters),
        2,
        `Delete 2 users where cohort eq "${cohort}" and (`,
      );
      expect((await users("delete", ofCohort, ...filters, "--yes")).stderr).toBe("Deleted 2 users.\n");
      expect((await listCohort(cohort)).map(({ n }) => n)).toEqual([4, 5, 6, 2].sort());
    });

    test("count, ask and name the expression on a terminal", async () => {
      const { cohort } = await createCohort(2);
      const { code, screen } = await onTerminal(["delete", `--where=cohort=${cohort}`], [[PROMPT, "n\r"]]);
      expect(code).toBe(1);
      expect(screen).toStartWith(`Delete 2 users where cohort eq "${cohort}"? ${PROMPT}`);
      expect(await listCohort(cohort)).toHaveLength(2);
    });

    test("change nothing if an expression finds other users than --where", async () => {
      const { cohort } = await createCohort(0);
      for (const team of ["Sales", "sales", "sales"]) {
        await roster.call("/api/users", { method: "POST", json: { name: "T", cohort, team } });
      }
      for (const [value, found, all] of [
        ["team=sales", "2 users", 3],
        ["team=Sales", "1 user", 3],
      ] as const) {
        expectError(
          await users("delete", `--where=cohort=${cohort}`, "--where", value, "--yes"),
          2,
          `--where finds ${found}, but the expression that the service would apply finds ${all}`,
          "Nothing was changed.",
          `--filter 'cohort eq "${cohort}" and team eq "${value.slice(5)}"'`,
        );
      }
      // Users without the field are not null for --where.
      await roster.call("/api/users", { method: "POST", json: { name: "N", cohort, note: null } });
      expectError(
        await users("update", `--where=cohort=${cohort}`, "--where=note=null", "plan=x", "--yes"),
        2,
        "--where finds 1 user, but",
        "finds 4",
      );
      expect((await listCohort(cohort)).map(({ version }) => version)).toEqual([1, 1, 1, 1]);
    });

    test("a value that looks like an expression is a value", async () => {
      const { cohort } = await createCohort(1);
      await roster.call("/api/users", { method: "POST", json: { name: "E", cohort, note: "a eq b" } });
      const deleted = await users("delete", "--where", "note=a eq b", `--where=cohort=${cohort}`, "--yes");
      expect(deleted.stderr).toBe("Deleted 1 user.\n");
      expect(await listCohort(cohort)).toHaveLength(1);
    });
  });
});

describe("an expression after --where names --filter, and no request is sent", () => {
  const corrected: [string, string][] = [
    ['department eq "sales"', `--filter 'department eq "sales"'`],
    ['note eq "x=y"', `--filter 'note eq "x=y"'`],
    ["level ge 3 and not (plan pr)", "--filter 'level ge 3 and not (plan pr)'"],
    ["plan pr", "--filter 'plan pr'"],
    ["not (a eq 1)", "--filter 'not (a eq 1)'"],
    ['phones[type eq "work"].value sw "+47="', `--filter 'phones[type eq "work"].value sw "+47="'`],
    ["address.city=Oslo", `--filter 'address.city eq "Oslo"'`],
  ];
  const commands = [["list"], ["count"], ["export"], ["delete", "--yes"], ["update", "plan=pro", "--yes"]];
  for (const command of commands) {
    test(command[0] ?? "", async () => {
      // Nothing listens on this port.
      const env = { ROSTER_URL: "http://127.0.0.1:1" };
      const ran = await Promise.all(
        corrected.map(([where]) => runRoster(["users", ...command, "--where", where], { env })),
      );
      for (const [index, [, flag]] of corrected.entries()) {
        expect(ran[index]).toMatchObject({
          code: 2,
          stdout: "",
          stderr: `roster: --where takes FIELD=VALUE, such as department=sales. For an expression, use ${flag}\n`,
        });
      }
      const mixed = [...command, "--where=department=sales", "--where=level ge 3"];
      expectError(await runRoster(["users", ...mixed], { env }), 2, "use --filter 'level ge 3'");
      for (const invalid of ["", "department", "level is 3"]) {
        expectError(
          await runRoster(["users", ...command, "--where", invalid], { env }),
          2,
          `--where=${invalid} is invalid. Use FIELD=VALUE, such as department=sales, or --filter with an expression.`,
        );
      }
      const empty = await runRoster(["users", ...command, "--filter", ""], { env });
      expect(empty.code).toBe(2);
      expect(empty.stderr).toStartWith("roster: --filter: Character 1: expected a field name");
    });
  }
});

test.each([
  [["delete", "--yes"], "ID is required"],
  [["delete", "1", "--yes", "--where=id=1"], "Use either ids, or --where and --filter."],
  [["delete", "1", "--yes", "--filter=id eq 1"], "Use either ids, or --where and --filter."],
  [["delete", "--yes", "--filter=id eq 1", "--if-version=1"], "--if-version takes only one ID."],
  [["delete", "--yes", "--where=limit=3"], "with --where. Use --filter 'limit eq 3'."],
  [["delete", "--yes", "--filter=a eq 1) or (b eq 2", "--filter=c eq 1"], "--filter: Character 7"],
  [["update", "plan=pro"], "ID is required"],
  [["update", "1", "plan=pro", "--where=id=1"], "Use either ids, or --where and --filter."],
  [["update", "--filter=id eq 1", "--yes"], "Add fields as FIELD=VALUE"],
  [["update", "1", "x", "plan=pro"], "ID=1 x is invalid."],
  [["update", "1", "2", "plan=pro", "--output=csv"], "are for the fields of a single user."],
])("%j is invalid usage", async (args, text) => {
  const ran = await runRoster(["users", ...args]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(text);
});
