import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { defaultImportOptions } from "../../src/contract/bulk/bulk.ts";
import type { Json } from "../../src/contract/json.ts";
import { Bulk } from "../../src/domain/bulk/bulk.ts";
import { type BulkRequest, checkBulk } from "../../src/domain/bulk/check-bulk.ts";
import { CONCURRENT_CHUNKS } from "../../src/domain/bulk/imports.ts";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import { RunningKeys } from "../../src/domain/idempotency-key.ts";
import { Semaphore } from "../../src/domain/scheduling/semaphore.ts";
import type { Store } from "../../src/domain/store.ts";
import type { UserStore } from "../../src/domain/users/user-store.ts";
import { onEachEngine } from "../support/engines.ts";
import { outcomeOf, type StoreUnderTest, storeOpener } from "./support/store-under-test.ts";

setDefaultTimeout(60_000);

onEachEngine((engine) => {
  let opened: StoreUnderTest;
  let store: Store;
  let cohorts = 0;
  beforeAll(async () => {
    opened = await storeOpener(engine)();
    store = opened.store;
  });
  afterAll(() => opened.destroy());

  const createGroup = async (members: readonly number[] = []): Promise<number> => {
    const { outcome } = await store.groups.create({ record: { name: `Group of cohort ${++cohorts}` } });
    if ("problem" in outcome) throw new Error(outcome.problem.type);
    await store.groups.patchMembers(outcome.group.id, { add: members, remove: [] });
    return outcome.group.id;
  };
  /** Users of a cohort of their own. */
  const createUsers = async (count: number) => {
    const cohort = `c${++cohorts}`;
    const created: number[] = [];
    for (let first = 0; first < count; first += 500) {
      const lines = Array.from({ length: Math.min(500, count - first) }, (_, n) => ({
        json: JSON.stringify({ name: `User ${first + n}`, cohort }),
      }));
      const { results } = await store.users.import(lines, undefined, undefined, defaultImportOptions);
      created.push(...results.map((user) => ("id" in user && user.id) || 0));
    }
    return { ids: created, filter: `cohort eq "${cohort}"` };
  };
  const versionOf = async (groupId: number) => (await store.groups.read(groupId))?.version;
  /** Runs a bulk change, chunk by chunk. `users` are those that it finds. */
  const start = async (body: Json, key?: string, users: UserStore = store.users) => {
    const bulk = new Bulk({ ...store, users }, new RunningKeys(), true, new Semaphore(CONCURRENT_CHUNKS));
    const request: BulkRequest = await checkBulk(body);
    return bulk.changeMany(anonymousOrigin, key, request);
  };
  /** "200", or the problem of each user. */
  const outcomes = (users: readonly { id: number; problem?: { type: string } }[]) =>
    users.map(({ id, problem }) => `${id} ${problem?.type ?? 200}`);
  const take = async (
    chunks: AsyncGenerator<readonly { id: number; problem?: { type: string } }[], void>,
  ) => {
    const { value } = await chunks.next();
    return outcomes(value ?? []);
  };
  const takeAll = async (
    chunks: AsyncGenerator<readonly { id: number; problem?: { type: string } }[], void>,
  ) => {
    const all: string[] = [];
    for await (const chunk of chunks) all.push(...outcomes(chunk));
    return all;
  };

  test.each(["ids", "filter"])(
    "the users of later chunks report that the group is gone, and a repeated request has the results of earlier ones: %s",
    async (target) => {
      const { ids, filter } = await createUsers(1300);
      const addToGroup = await createGroup();
      const body = target === "ids" ? { ids, addToGroup } : { filter, addToGroup };
      const key = `gone ${target}`;
      const chunks = await start(body, key);
      const first = ids.slice(0, 500).map((id) => `${id} 200`);
      expect(await take(chunks)).toEqual(first);
      await store.groups.remove(addToGroup);
      const rest = ids.slice(500).map((id) => `${id} group-not-found`);
      expect(await takeAll(chunks)).toEqual(rest);
      expect(await takeAll(await start(body, key))).toEqual([...first, ...rest]);
      expect(await outcomeOf(takeAll(await start(body)))).toBe("group-not-found");
      expect(await outcomeOf(takeAll(await start(body, `other ${key}`)))).toBe("group-not-found");
    },
  );

  test("an interrupted change continues, and each of its chunks is one version", async () => {
    const { ids, filter } = await createUsers(1300);
    const addToGroup = await createGroup(ids.slice(0, 3));
    const body = { filter: `${filter} and not (groups eq ${addToGroup})`, addToGroup };
    const chunks = await start(body, "interrupted");
    expect(await take(chunks)).toHaveLength(500);
    await chunks.return();
    expect(await takeAll(await start(body, "interrupted"))).toEqual(ids.slice(3).map((id) => `${id} 200`));
    expect(await versionOf(addToGroup)).toBe(5);
    expect(await takeAll(await start(body, "interrupted"))).toHaveLength(1297);
    expect(await versionOf(addToGroup)).toBe(5);
    const other = { ...body, addToGroup: await createGroup() };
    expect(await outcomeOf(takeAll(await start(other, "interrupted")))).toBe("idempotency-mismatch");
  });

  test.each([
    ["groups eq", (id: number) => `groups eq ${id}`, true],
    ["not groups eq", (id: number) => `not (groups eq ${id})`, false],
    ["groups pr", () => "groups pr", true],
    ["groups.name eq", (_: number, name: string) => `groups.name eq "${name}"`, true],
  ] as const)(
    "a user whose groups change between the read and the write is left out: %s",
    async (_, toFilter, isMember) => {
      const { ids, filter } = await createUsers(700);
      const id = await createGroup(isMember ? ids : []);
      const name = JSON.parse((await store.groups.read(id))?.json ?? "").name;
      const pages: Promise<unknown>[] = [];
      const users: UserStore = {
        ...store.users,
        async list(query, findOwner) {
          const page = store.users.list(query, findOwner);
          pages.push(Promise.resolve(page));
          return page;
        },
      };
      const chunks = await start(
        { filter: `${filter} and ${toFilter(id, name)}`, patch: { seen: true } },
        undefined,
        users,
      );
      expect(await take(chunks)).toHaveLength(500);
      // The users of the second chunk have been found.
      await Promise.all(pages);
      const last = ids.at(-1) ?? 0;
      await store.groups.setMember(id, last, !isMember);
      expect(await takeAll(chunks)).toEqual(ids.slice(500, -1).map((each) => `${each} 200`));
      expect((await store.users.read(last))?.version).toBe(1);
    },
  );
});
