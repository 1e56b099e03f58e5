import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onEachEngine } from "../support/engines.ts";
import { type Roster, spawnRoster, startRoster, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";
import { cleanUp, createDatabase, flags } from "./support/commands.ts";

setDefaultTimeout(120_000);
afterEach(cleanUp);

/** Longer than any time for which Roster waits for a database (5 s) or for a transaction to go on (2 s). */
const PAUSE_MS = 7000;
/** For a longer run. */
const PAUSES = Number(process.env.SUSPEND_PAUSES ?? 1);
const USERS = 15_000 * PAUSES;

interface Suspendable {
  kill(signal: NodeJS.Signals): void;
}

async function countUsers(roster: Roster): Promise<number> {
  const response = await roster.call("/api/users?limit=1&count=true");
  return Number(response.headers.get("x-total-count"));
}

/** Suspends the process while the number of users grows, a few times. */
async function suspendDuring(roster: Roster, process: Suspendable): Promise<void> {
  for (let pause = 0; pause < PAUSES; pause++) {
    const before = await countUsers(roster);
    await until(async () => (await countUsers(roster)) > before + 500);
    process.kill("SIGSTOP");
    await Bun.sleep(PAUSE_MS);
    process.kill("SIGCONT");
  }
}

function importFile(roster: Roster) {
  const file = join(temporaryFolder(), "users.ndjson");
  const lines = Array.from({ length: USERS }, (_, index) =>
    JSON.stringify({ name: `User ${index}`, email: `u${index}@example.com` }),
  );
  writeFileSync(file, lines.join("\n"));
  return spawnRoster(["users", "import", file], { env: { ROSTER_URL: roster.url } });
}

/** The command succeeds, and prints no more than its progress. */
async function expectSuccess({ exited, stderr }: ReturnType<typeof spawnRoster>): Promise<void> {
  const messages = stderr.filter((line) => !/\d % .* of /.test(line));
  expect({ ...(await exited), messages }).toEqual({ code: 0, signal: null, messages: [] });
}

onEachEngine((engine) => {
  test("roster seed continues after it was suspended", async () => {
    const database = await createDatabase(engine);
    const roster = await startRoster(database, { flags });
    const seeding = spawnRoster(["seed", String(USERS), `--database=${database}`, ...flags]);
    await suspendDuring(roster, seeding);
    await expectSuccess(seeding);
    expect(await countUsers(roster)).toBe(USERS);
  });

  test("roster users import continues after it was suspended", async () => {
    const roster = await startRoster(await createDatabase(engine), { flags });
    const importing = importFile(roster);
    await suspendDuring(roster, importing);
    await expectSuccess(importing);
    expect(await countUsers(roster)).toBe(USERS);
  });

  test("roster users import continues after the service was suspended", async () => {
    const roster = await startRoster(await createDatabase(engine), { flags });
    const importing = importFile(roster);
    await suspendDuring(roster, roster);
    await expectSuccess(importing);
    expect(await countUsers(roster)).toBe(USERS);
  });

  test("roster users import continues by itself after the service was killed and started again", async () => {
    const database = await createDatabase(engine);
    const roster = await startRoster(database, { flags });
    const importing = importFile(roster);
    await until(async () => (await countUsers(roster)) > 1500);
    roster.kill("SIGKILL");
    await roster.exited;
    const again = await startRoster(database, { flags: [...flags, `--port=${roster.port}`] });
    const { code, signal } = await importing.exited;
    expect({ code, signal, stdout: importing.stdout[0] }).toMatchObject({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(`Imported ${USERS.toLocaleString("en")} users, 0 failed`),
    });
    expect(importing.stderr[0]).toMatch(
      /^The import was interrupted after line \d+\. Trying again for 60 s\.$/,
    );
    expect(await countUsers(again)).toBe(USERS);
  });
});
