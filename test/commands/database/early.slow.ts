import { expect, test } from "bun:test";
import { addUsers, openEarlyDatabase } from "../../store/support/early-database.ts";
import { rosterCommand } from "../../support/process/roster-command.ts";

const USERS = 1_000_000;
const MAX_MEGABYTES = 300;

test("a million users of an early version come over with little memory", async () => {
  const database = await openEarlyDatabase("2b3f424", "sqlite");
  await addUsers(database.url, "sqlite", USERS);
  const migrating = Bun.spawn([...rosterCommand, "migrate", `--database=${database.url}`]);
  expect(await migrating.exited).toBe(0);
  expect(Number(migrating.resourceUsage()?.maxRSS) / 1e6).toBeLessThan(MAX_MEGABYTES);
  await database.drop();
}, 600_000);
