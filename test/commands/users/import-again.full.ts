import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import {
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../../support/process/roster.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

const folder = temporaryFolder();

function users(roster: Roster, ...args: string[]) {
  return runRoster(["users", ...args], { cwd: folder, env: { ROSTER_URL: roster.url } });
}

const warning = (count: number) =>
  `Lines with an id, but no email: ${count}. Roster creates a user for each of them, even if the user exists. If the file is an export of this service, use --match id.\n`;

test("an export that is imported into the same service creates users without an email again, which a warning says", async () => {
  const roster = await startRoster(join(temporaryFolder(), "roster.db"));
  for (const user of [{ name: "Ada", email: "ada@example.com" }, { name: "Grace" }, { name: "Zoë" }]) {
    await roster.call("/api/users", { method: "POST", json: user });
  }
  for (const file of ["again.ndjson", "again.csv"]) {
    expect(await users(roster, "export", file)).toMatchObject({ code: 0 });
    const skipping = ["import", file, "--on-conflict", "skip"];
    const checked = await users(roster, ...skipping, "--dry-run");
    expect(checked).toMatchObject({ code: 0, stderr: warning(2) });
    expect(checked.stdout).toContain("2 created, 1 skipped");
    const matched = await users(roster, ...skipping, "--match", "id");
    expect(matched).toMatchObject({ code: 0, stderr: "" });
    expect(matched.stdout).toStartWith("Imported 0 users, 3 skipped, 0 failed");
  }
  const failing = await users(roster, "import", "again.ndjson", "--dry-run");
  expect(failing.code).toBe(1);
  expect(failing.stderr).toEndWith(warning(2));
  const piped = await runCommand(
    [
      "bash",
      "-c",
      `cat again.csv | ${shellCommand(["users", "import", "-", "--format", "csv", "--on-conflict", "update"])}`,
    ],
    { cwd: folder, env: { ROSTER_URL: roster.url } },
  );
  expect(piped).toMatchObject({ code: 0, stderr: warning(2) });
  expect(piped.stdout).toStartWith("Imported 2 users, 1 updated, 0 failed");
  expect((await users(roster, "count")).stdout).toBe("5\n");

  const empty = await startRoster(join(temporaryFolder(), "empty.db"));
  expect(await users(empty, "import", "again.ndjson")).toMatchObject({ code: 0, stderr: "" });
});
