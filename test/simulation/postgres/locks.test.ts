import { expect, test } from "bun:test";
import type { Store } from "../../../src/domain/store.ts";
import { errorCode } from "../../../src/store/postgres/error-codes.ts";
import { LOCK_USERS } from "../../../src/store/postgres/write-statements.ts";
import { type PostgresSimulation, simulate } from "./postgres-simulation.ts";

async function createUser(simulation: PostgresSimulation, store: Store): Promise<number> {
  const { outcome } = await simulation.settle(store.users.create({ record: { name: "Ada" } }));
  return "user" in outcome ? outcome.user.id : 0;
}

function versionOf({ server }: PostgresSimulation, id: number): number {
  const [row] = server.storage
    .prepare<unknown, [number]>("SELECT version FROM users WHERE id = ?")
    .values(id);
  return Number(row?.[0]);
}

/** "done", or the code of the error. */
const codeOf = (statement: Promise<unknown>) => statement.then(() => "done", errorCode);

test("edits of a user on two nodes wait for each other, and none is lost", async () => {
  await simulate(
    1,
    async (simulation) => {
      const [one, two] = [await simulation.openNode(), await simulation.openNode()];
      const id = await createUser(simulation, one.store);
      const edits = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? one : two).store.users.edit(id, { merge: { [`field${i}`]: i } }),
      );
      await simulation.settle(Promise.all(edits));
      expect(versionOf(simulation, id)).toBe(21);
    },
    { commitMs: [100, 300] },
  );
});

test("one of several nodes gets an email", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    await simulate(
      seed,
      async (simulation) => {
        const nodes = [await simulation.openNode(), await simulation.openNode(), await simulation.openNode()];
        const record = { name: "Ada", email: "ada@example.com" };
        const creates = nodes.map(async ({ store }) => {
          const { outcome } = await store.users.create({ record });
          return "problem" in outcome ? outcome.problem.type : "created";
        });
        const outcomes = await simulation.settle(Promise.all(creates));
        expect(outcomes.toSorted()).toEqual(["created", "email-taken", "email-taken"]);
      },
      { commitMs: [10, 300] },
    );
  }
});

test("of two transactions that wait for each other, one fails after a second", async () => {
  await simulate(1, async (simulation) => {
    const { store } = await simulation.openNode();
    const ids = [await createUser(simulation, store), await createUser(simulation, store)];
    const [one, two] = [await simulation.connect(), await simulation.connect()];
    const lock = (sql: typeof one, index: number) => codeOf(sql.unsafe(LOCK_USERS, [`{${ids[index]}}`]));
    await simulation.settle(Promise.all([one`BEGIN`, two`BEGIN`, lock(one, 0), lock(two, 1)]));
    const begin = simulation.machine.elapsedMs;
    const codes = await simulation.settle(Promise.all([lock(one, 1), lock(two, 0)]));
    expect(codes.toSorted()).toEqual(["40P01", "done"]);
    expect(simulation.machine.elapsedMs - begin).toBeWithin(1000, 1010);
  });
});

test("a wait for a lock ends with the timeout of the statement, and with the connection", async () => {
  await simulate(1, async (simulation) => {
    const { store } = await simulation.openNode();
    const array = `{${await createUser(simulation, store)}}`;
    const [holder, late, gone, next] = [
      await simulation.connect(),
      await simulation.connect(),
      await simulation.connect(),
      await simulation.connect(),
    ];
    await simulation.settle(Promise.all([holder`BEGIN`, holder.unsafe(LOCK_USERS, [array])]));
    const waits = [late, gone].map((sql) => codeOf(sql.unsafe(LOCK_USERS, [array])));
    const keepAlive = simulation.machine.every(1000, () => holder`SHOW transaction_read_only`);
    simulation.machine.after(500, () => gone.close({ timeout: 0 }));
    expect(await simulation.settle(Promise.all(waits))).toEqual(["57014", "ERR_POSTGRES_CONNECTION_CLOSED"]);
    keepAlive.clear();
    // The server ends a transaction in which nothing happens.
    expect(await simulation.settle(codeOf(next.unsafe(LOCK_USERS, [array])))).toBe("done");
    expect(await simulation.settle(codeOf(holder`COMMIT`))).toBe("ERR_POSTGRES_CONNECTION_CLOSED");
  });
});

/** Stops a node at some moment of its edits, and returns how long an edit of another node waits. */
function stopWhileEditing(seed: number, kind: "freeze" | "kill") {
  return simulate(seed, async (simulation) => {
    const { machine } = simulation;
    const [one, two] = [await simulation.openNode(), await simulation.openNode()];
    const id = await createUser(simulation, one.store);
    let made = 0;
    const edit = async (store: Store, level: number) => {
      await store.users.edit(id, { merge: { level } });
      made++;
    };
    // Edits that fail because the node has stopped are not made.
    for (let level = 1; level <= 5; level++) edit(one.store, level).catch(() => undefined);
    await simulation.run(machine.random.between(0, 8));
    if (kind === "kill") one.process.kill();
    else one.process.freeze(10_000);
    const begin = machine.elapsedMs;
    await simulation.settle(edit(two.store, 100));
    const waitedMs = machine.elapsedMs - begin;
    await simulation.run(20_000);
    return { waitedMs, made, version: versionOf(simulation, id) };
  });
}

test("the server ends the transaction of a frozen node, and the node makes its writes later or refuses them", async () => {
  const waits: number[] = [];
  for (let seed = 1; seed <= 20; seed++) {
    const { waitedMs, made, version } = await stopWhileEditing(seed, "freeze");
    waits.push(waitedMs);
    // A commit whose answer arrives after the node has given up is in doubt.
    expect(version - 1).toBeWithin(made, 7);
  }
  expect(Math.max(...waits)).toBeWithin(1900, 2200);
});

test("the transaction of a killed node ends soon, and is committed if its COMMIT had been sent", async () => {
  const versions = new Set<number>();
  for (let seed = 1; seed <= 20; seed++) {
    const { waitedMs, made, version } = await stopWhileEditing(seed, "kill");
    expect(waitedMs).toBeLessThan(300);
    expect(version - 1).toBeGreaterThanOrEqual(made);
    versions.add(version - 1 - made);
  }
  // In some simulations, the node has not heard of the commit of its batch.
  expect([...versions].toSorted()).toEqual([0, 5]);
});
