import { expect, test } from "bun:test";
import type { ReservedConnection } from "../../../src/store/postgres/driver.ts";
import { errorCode } from "../../../src/store/postgres/error-codes.ts";
import { REQUIRE_TIME } from "../../../src/store/postgres/snapshot.ts";
import {
  DROP_DELETED_USERS,
  keepDeletedUsers,
  takeIds,
} from "../../../src/store/postgres/write-statements.ts";
import { simulate } from "./postgres-simulation.ts";

const keep = (sql: ReservedConnection, id: number) => {
  const users = [{ id, version: 1, json: "{}", deletedAt: 0, groups: [] }];
  return sql.unsafe(keepDeletedUsers.text, keepDeletedUsers.parameters({}, { users }));
};
const list = (sql: ReservedConnection) => sql.unsafe("SELECT id FROM deleted_users ORDER BY id").values();

test("a statement sees what was committed before it, and what its own transaction has written", async () => {
  await simulate(1, async (simulation) => {
    const [one, two] = [await simulation.connect(), await simulation.connect()];
    const seen = async (sql: ReservedConnection) =>
      (await simulation.settle(list(sql))).map(([id]) => Number(id));
    await simulation.settle(Promise.all([one`BEGIN`, keep(one, 1)]));
    await simulation.settle(Promise.all([two`BEGIN`, keep(two, 2)]));
    expect([await seen(one), await seen(two)]).toEqual([[1], [2]]);
    expect((await simulation.settle(one`COMMIT`)).command).toBe("COMMIT");
    expect(await seen(two)).toEqual([1, 2]);
    await simulation.settle(two.unsafe(DROP_DELETED_USERS, ["{1}"]));
    expect([await seen(one), await seen(two)]).toEqual([[1], [2]]);
    expect((await simulation.settle(two`ROLLBACK`)).command).toBe("ROLLBACK");
    expect([await seen(one), await seen(two)]).toEqual([[1], [1]]);
  });
});

test("a transaction that has failed commits nothing, and others get its locks at once", async () => {
  await simulate(1, async (simulation) => {
    const [one, two] = [await simulation.connect(), await simulation.connect()];
    await simulation.settle(keep(one, 1));
    await simulation.settle(Promise.all([one`BEGIN`, keep(one, 2)]));
    const codes = [keep(one, 1), keep(one, 3)].map((statement) => statement.then(() => "done", errorCode));
    expect(await simulation.settle(Promise.all(codes))).toEqual(["23505", "25P02"]);
    await simulation.settle(keep(two, 2));
    expect((await simulation.settle(one`COMMIT`)).command).toBe("ROLLBACK");
    expect([...(await simulation.settle(list(one)))]).toEqual([["1"], ["2"]]);
  });
});

test("a rollback does not give ids back", async () => {
  await simulate(1, async (simulation) => {
    const sql = await simulation.connect();
    const creates = [{ emailKey: null, userName: null, idempotencyKey: undefined }];
    const take = () => sql.unsafe(takeIds.text, takeIds.parameters({ now: "0" }, { creates })).values();
    await simulation.settle(Promise.all([sql`BEGIN`, take(), sql`ROLLBACK`]));
    expect([...(await simulation.settle(take()))]).toEqual([["2"]]);
  });
});

test("a transaction that took longer than its caller waits does not commit", async () => {
  await simulate(1, async (simulation) => {
    const sql = await simulation.connect();
    await simulation.settle(Promise.all([sql`BEGIN`, keep(sql, 1)]));
    simulation.server.freeze(1500);
    const check = sql.unsafe(REQUIRE_TIME, ["1000"]).then(() => "done", errorCode);
    const [code, { command }] = await simulation.settle(Promise.all([check, sql`COMMIT`]));
    expect([code, command]).toEqual(["RS002", "ROLLBACK"]);
    expect([...(await simulation.settle(list(sql)))]).toEqual([]);
  });
});

test("statements that were sent together are handled in their order", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    await simulate(
      seed,
      async (simulation) => {
        const sql = await simulation.connect();
        const settled: number[] = [];
        const ids = Array.from({ length: 20 }, (_, index) => index);
        const sent = ids.map((id) => keep(sql, id).then(() => settled.push(id)));
        await simulation.settle(Promise.all(sent));
        expect(settled).toEqual(ids);
      },
      { delayMs: [0, 50] },
    );
  }
});

test("a statement that the model does not know ends the simulation", async () => {
  const unknown = simulate(1, async (simulation) => {
    const sql = await simulation.connect();
    await simulation.settle(sql.unsafe("SELECT roster.unknown()"));
  });
  await expect(unknown).rejects.toThrow("does not know this statement: SELECT roster.unknown()");
});
