import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Callers } from "../support/consistency/callers.ts";
import { type KeyedCreate, Ledger } from "../support/consistency/ledger.ts";
import {
  findListInconsistencies,
  findSqliteCorruption,
  listAllUsers,
} from "../support/consistency/list-checks.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

afterAll(stopAll);

/** For a long run that prints its counts: `CRASH_ROUNDS=200 npm test crash`. */
const roundsSetting = process.env.CRASH_ROUNDS;
const rounds = Number(roundsSetting ?? 8);
const MOST_REPEATS = 40;

test(
  "after kill -9 at any time, acknowledged writes are kept, and others are complete or absent",
  async () => {
    const database = join(temporaryFolder(), "roster.db");
    const ledger = new Ledger();
    const callers = new Callers(ledger, 32);
    let roster = await startRoster(database);
    await callers.createSharedUsers(roster, 3);
    const restarts: number[] = [];
    const repeated = { replayed: 0, done: 0 };
    for (let round = 1; round <= rounds; round++) {
      ledger.beginRound();
      await callers.workUntilKilled(roster, 100 + Math.random() * 500);
      roster = await startRoster(database);
      restarts.push(roster.startMs);

      const { users } = await listAllUsers(roster);
      ledger.settle(users);
      const errors = [
        ...ledger.errors,
        ...(await findListInconsistencies(roster, users)),
        ...(await repeat(roster, ledger, repeated)),
        ...findSqliteCorruption(database, (await listAllUsers(roster)).users.length),
      ];
      expect({ round, errors }).toEqual({ round, errors: [] });
    }
    expect(ledger.counts.acknowledged).toBeGreaterThan(rounds * 20);
    if (roundsSetting)
      console.log({ rounds, ...ledger.counts, ...repeated, slowestRestart: Math.max(...restarts) });
  },
  120_000 + rounds * 10_000,
);

/** Repeats this round's creates with their keys. No repeat may create a second user. */
async function repeat(
  roster: Roster,
  ledger: Ledger,
  repeated: { replayed: number; done: number },
): Promise<string[]> {
  const pending = ledger.keyed.filter(({ response }) => response === undefined);
  const acknowledged = ledger.keyed.filter(({ response }) => response !== undefined).slice(-MOST_REPEATS);
  const errors: string[] = [];
  for (const create of [...acknowledged, ...pending]) {
    const before = await withMark(roster, create);
    if (create.response === undefined && before.length === 0)
      ledger.send(create.mark, JSON.parse(create.body));
    const response = await roster.call("/api/users", {
      method: "POST",
      body: create.body,
      headers: { "content-type": "application/json", "idempotency-key": create.key },
    });
    const text = await response.text();
    const replayed = response.headers.get("idempotency-replayed") === "true";
    const after = await withMark(roster, create);
    const was = `${create.key}: ${response.status}, replayed ${replayed}, ${text}`;
    if (response.status !== 201) errors.push(was);
    else if (create.response !== undefined) {
      if (!replayed || text !== create.response) errors.push(`${was}, was ${create.response}`);
      if (after.length !== before.length) errors.push(`${was}, and the users changed`);
    } else {
      if (replayed !== before.length > 0 || after.length !== 1) {
        errors.push(`${was}: ${before.length} before, ${after.length} after`);
      }
      if (!replayed) ledger.acknowledge(create.mark, text);
    }
    repeated[replayed ? "replayed" : "done"]++;
  }
  return errors;
}

async function withMark(roster: Roster, { mark }: KeyedCreate): Promise<unknown[]> {
  const users: unknown[] = await (await roster.call(`/api/users?mark=${mark}`)).json();
  return users;
}
