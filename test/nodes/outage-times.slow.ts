import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { stopAll } from "../support/process/roster.ts";
import {
  cutConnections,
  FAULT_TIMEOUT_MS,
  freezePostgres,
  killNodes,
  killPostgres,
} from "./support/faults.ts";
import { failOver, type StandbyPair, startPair } from "./support/standby-pair.ts";

setDefaultTimeout(FAULT_TIMEOUT_MS);
startPostgresBeforeTests();

let pair: StandbyPair | undefined;
afterEach(async () => {
  await stopAll();
  await pair?.destroy();
  pair = undefined;
}, 120_000);

/** Clients get each response within the time, and do not pause. */
const within = (ms: number) => ({ withinMs: ms, pauseMs: 0 });

describe("every response comes soon after --database-wait", () => {
  test("when PostgreSQL is killed, and the service is back two seconds after PostgreSQL", async () => {
    const back = await killPostgres(2000, within(3500));
    expect(Math.max(...back)).toBeLessThan(2000);
  });

  test("when PostgreSQL is frozen, and the service is back two seconds after PostgreSQL", async () => {
    const { refused, back } = await freezePostgres(1000, within(2000));
    expect(Math.max(...refused)).toBeLessThan(2000);
    expect(Math.max(...back)).toBeLessThan(2000);
  });

  test("when connections are cut", () => cutConnections(3000, within(4500)));

  test("when a node is killed", () => killNodes(3000, within(4500)));

  test.each(["is killed", "freezes"] as const)(
    "when the primary %s, and the service is back two seconds after the promotion of the standby",
    async (how) => {
      pair = await startPair();
      expect(await failOver(pair, how, 1000, within(2500))).toBeLessThan(2000);
    },
  );
});
