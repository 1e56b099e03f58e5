import { expect, test } from "bun:test";
import { readMemory } from "../../../bench/support/process-usage.ts";
import { addUsers, openEarlyDatabase } from "../../store/support/early-database.ts";
import { rosterCommand } from "../../support/process/roster-command.ts";

const USERS = 1_000_000;
const MAX_MEGABYTES = 300;

test("a million users of an early version come over with little memory", async () => {
  const database = await openEarlyDatabase("2b3f424", "sqlite");
  await addUsers(database.url, "sqlite", USERS);
  const migrating = Bun.spawn([...rosterCommand, "migrate", `--database=${database.url}`]);
  // The usage that the system reports at the end includes the memory of the process that started it.
  let peak = 0;
  while (migrating.exitCode === null) {
    peak = Math.max(peak, readMemory(migrating.pid).peak || 0);
    await Bun.sleep(20);
  }
  expect(migrating.exitCode).toBe(0);
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(MAX_MEGABYTES);
  await database.drop();
}, 600_000);
