import { expect, test } from "bun:test";
import { SQL } from "bun";
import { commandOrigin } from "../../src/domain/caller.ts";
import { parseExpression } from "../../src/domain/filter/parse-expression.ts";
import type { Store } from "../../src/domain/store.ts";
import { Random } from "../simulation/random.ts";
import { openTestStore } from "../support/open-test-store.ts";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";
import { outcomeOf } from "./support/store-under-test.ts";

startPostgresBeforeTests();

const USERS = 12;
const GROUPS = 4;
const ROUNDS = Number(process.env.DEADLOCK_ROUNDS ?? 60);
/** Writes that each node sends together: most of them share a transaction. */
const WRITES = 12;

/** What these writes may end with, besides success: another node was faster. */
const expectedProblems = ["user-not-found", "group-not-found", "invalid-group", "value-taken", "email-taken"];

test(
  "nodes that change, delete and restore the same users and members never wait for each other in a circle",
  async () => {
    const { url, drop } = await freshDatabase();
    const admin = new SQL(url, { max: 1 });
    const [{ name }] = await admin`SELECT current_database() AS name`;
    // A deadlock would soon be found, and counted.
    await admin.unsafe(`ALTER DATABASE "${name}" SET deadlock_timeout = '5ms'`);
    // Nodes that create the tables at once may wait for each other, and try again.
    const first = await openTestStore(url, {});
    const nodes = [first, await openTestStore(url, {}), await openTestStore(url, {})];
    const unique = JSON.stringify({ properties: { badge: { type: "string", "x-unique": true } } });
    await first.schema.beginUnique("deadlocks", ["badge"]);
    await first.schema.collectValues("deadlocks", "badge", undefined);
    await first.schema.put(unique, commandOrigin, undefined, "deadlocks");
    const ids = Array.from({ length: USERS }, (_, i) => i + 1);
    for (const id of ids) await first.users.create({ record: { name: "Member", badge: `b${id}` } });
    let groups = 0;
    const groupIds: number[] = [];
    const createGroup = async (node: Store, members: readonly number[] = []) => {
      const { outcome } = await node.groups.create({ record: { name: `Group ${groups++}` }, members });
      if ("group" in outcome) groupIds.push(outcome.group.id);
    };
    for (let i = 0; i < GROUPS; i++) await createGroup(first);

    const random = new Random(7);
    /** Some of the ids, in any order. */
    const some = (from: readonly number[]) =>
      [...from]
        .map((id) => ({ id, order: random.next() }))
        .sort((a, b) => a.order - b.order)
        .map(({ id }) => id)
        .slice(0, 1 + random.integer(5));
    const writes: readonly ((node: Store) => Promise<unknown>)[] = [
      ({ groups: { patchMembers } }) => patchMembers(random.pick(groupIds), { add: some(ids), remove: [] }),
      ({ groups: { patchMembers } }) => patchMembers(random.pick(groupIds), { add: [], remove: some(ids) }),
      ({ groups: { change } }) => {
        const members = { add: some(ids), remove: [] };
        const edit = { merge: { name: `Group ${random.integer(groups)}` } };
        return change(random.pick(groupIds), { edit, members, skipMissing: true });
      },
      ({ groups: { setMember } }) => setMember(random.pick(groupIds), random.pick(ids), random.chance(0.5)),
      ({ groups: { edit } }) => edit(random.pick(groupIds), { merge: { level: random.integer(100) } }),
      ({ groups: { remove } }) => remove(random.pick(groupIds)),
      (node) => createGroup(node, some(ids)),
      ({ users }) => users.changeMany(some(ids), "remove"),
      ({ users }) => users.changeMany(some(ids), "restore"),
      ({ users }) => users.remove(random.pick(ids)),
      ({ users }) => users.edit(random.pick(ids), { merge: { badge: `b${random.integer(20)}` } }),
      ({ users }) => users.changeMany(some(ids), { merge: { level: random.integer(100) } }),
      ({ users }) => users.changeMany(some(ids), { groupId: random.pick(groupIds), isMember: true }),
      ({ users }) => {
        const change = { groupId: random.pick(groupIds), isMember: random.chance(0.5) };
        const negated = random.chance(0.5);
        return users.changeMany(some(ids), change, undefined, undefined, {
          expression: random.chance(0.5) ? parseExpression("level gt 50") : undefined,
          versions: [],
          memberships: [
            random.pick([
              { kind: "membership", by: "any", values: [], negated },
              { kind: "membership", by: "id", values: some(groupIds), negated },
            ]),
          ],
        });
      },
      ({ users }) => {
        const lines = some(ids).map((id) => ({
          json: JSON.stringify({ badge: `b${id}`, name: "Imported" }),
        }));
        return users.import(lines, undefined, undefined, { match: "badge", onConflict: "update" });
      },
      (node) => {
        const lines = some(ids).map((userId) => ({ groupId: random.pick(groupIds), userId }));
        return node.groups.importMembers(lines, random.chance(0.5));
      },
      (node) => {
        const lines = some(groupIds).map((id) => ({
          json: JSON.stringify({ name: `Group ${id}`, level: random.integer(100) }),
        }));
        return node.groups.import(lines, undefined, undefined, { match: "name", onConflict: "update" });
      },
      ({ deletedUsers }) => deletedUsers.restore(random.pick(ids)),
      async ({ groups: { removeLeftMemberships } }) => {
        for (let steps = 0; steps < 3; steps++) await removeLeftMemberships();
      },
    ];
    for (let round = 0; round < ROUNDS; round++) {
      const sent = nodes.flatMap((node) =>
        Array.from({ length: WRITES }, () => outcomeOf(random.pick(writes)(node))),
      );
      const outcomes = new Set(await Promise.all(sent));
      outcomes.delete("done");
      expect(expectedProblems).toEqual(expect.arrayContaining([...outcomes]));
      await first.users.changeMany(ids, "restore");
    }
    await Promise.all(nodes.map((node) => node.close()));
    // Sessions report what they have counted when they end.
    await until(async () => {
      const [{ sessions }] =
        await admin`SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE datname = ${name} AND pid <> pg_backend_pid()`;
      return sessions === 0;
    });
    const [counts] = await admin`
    SELECT deadlocks::int AS deadlocks, xact_commit > ${ROUNDS} AS counted FROM pg_stat_database WHERE datname = ${name}`;
    expect({ ...counts }).toEqual({ deadlocks: 0, counted: true });
    await admin.close();
    await drop();
  },
  120_000 + 100 * ROUNDS,
);
