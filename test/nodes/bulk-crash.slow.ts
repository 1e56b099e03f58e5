import { afterAll, expect, test } from "bun:test";
import { exportUsers, toNdjson } from "../support/bulk-requests.ts";
import { findSqliteCorruption } from "../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import {
  findImportErrors,
  importLines,
  importWithRetries,
  RunningImport,
} from "../support/process/bulk-import.ts";
import { startRoster, stopAll } from "../support/process/roster.ts";

afterAll(stopAll);

/** For a long run that prints its counts: `CRASH_ROUNDS=50 npx bun test ./test/nodes/bulk-crash.slow.ts`. */
const roundsSetting = process.env.CRASH_ROUNDS;
const rounds = Number(roundsSetting ?? 2);
const LINES = 2500;

const damageIn = async (engine: Engine, url: string, users: number) =>
  engine === "sqlite" ? findSqliteCorruption(url, users) : await findPostgresCorruption(url, users);

onEachEngine((engine) => {
  test(
    "a repeated import after a crash creates every user once, with the ids that were reported",
    async () => {
      const database = await databaseOn(engine);
      const measurements = { reported: 0, there: 0 };
      let roster = await startRoster(database.url);
      for (let round = 1; round <= rounds; round++) {
        const file = `file${round}`;
        const body = toNdjson(importLines(file, LINES));
        const first = new RunningImport(roster, body, file);
        await first.until(Math.random() * LINES * 0.8);
        await Bun.sleep(Math.random() * 20);
        roster.kill("SIGKILL");
        const { lines: reported } = await first.end;
        await roster.exited;

        roster = await startRoster(database.url);
        const there = await exportUsers(roster, `?file=${file}`);
        const lines = await importWithRetries(roster, body, file);
        const users = await exportUsers(roster, `?file=${file}`);
        expect({
          round,
          // Every reported user exists. The idempotency key finds those that were created but not reported.
          reported: findImportErrors(there, reported),
          lines: findImportErrors(users, lines),
          kept: there.every((user) => lines[Number(user.line) - 1]?.id === user.id),
          statuses: [...new Set(lines.map(({ status }) => status))],
          users: users.length,
          damage: await damageIn(engine, database.url, round * LINES),
        }).toEqual({ round, reported: [], lines: [], kept: true, statuses: [201], users: LINES, damage: [] });
        measurements.reported += reported.length;
        measurements.there += there.length;
      }
      if (roundsSetting) console.log({ engine, rounds, ...measurements });
      roster.kill("SIGKILL");
      await roster.exited;
      await database.drop();
    },
    30_000 + rounds * 15_000,
  );

  test("without an idempotency key, users with an email are still created once", async () => {
    const database = await databaseOn(engine);
    const body = toNdjson(
      importLines("bare", LINES).map((line) => ({ ...line, email: `${line.line}@bare.example` })),
    );
    let roster = await startRoster(database.url);
    const first = new RunningImport(roster, body);
    await first.until(LINES / 3);
    roster.kill("SIGKILL");
    const { lines: reported } = await first.end;
    await roster.exited;

    roster = await startRoster(database.url);
    const there = await exportUsers(roster);
    expect(findImportErrors(there, reported)).toEqual([]);
    const { lines } = await new RunningImport(roster, body).end;
    expect(lines.filter(({ status }) => status === 409)).toHaveLength(there.length);
    expect(lines.filter(({ status }) => status === 201)).toHaveLength(LINES - there.length);
    expect(await exportUsers(roster)).toHaveLength(LINES);
    roster.kill("SIGKILL");
    await roster.exited;
    await database.drop();
  }, 120_000);
});
