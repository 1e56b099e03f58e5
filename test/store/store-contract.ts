import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UserRecord } from "../../src/contract/user.ts";
import { foldCase, foldText } from "../../src/domain/fold.ts";
import {
  decodeCursor,
  encodeCursor,
  type Filter,
  type ListQuery,
  PAGE_BYTES,
  type Page,
} from "../../src/domain/listing.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import type { Store } from "../../src/domain/store.ts";
import type { StoredUser } from "../../src/domain/user.ts";
import { expectedList, type ModelUser } from "./store-model.ts";

interface StoreUnderTest {
  readonly store: Store;
  destroy(): Promise<void>;
}

/** Opens a fresh store; `maxCandidates` is how many users one list may look through. */
type OpenStore = (maxCandidates?: number) => Promise<StoreUnderTest>;

const everything: ListQuery = {
  sort: "id",
  descending: false,
  limit: 100,
  from: undefined,
  offset: 0,
  search: undefined,
  filters: [],
  count: false,
};

/** What every engine has to do. An engine's own test file calls this with how to open it. */
export function storeContract(engine: string, open: OpenStore): void {
  describe(`${engine}: writes`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeAll(async () => {
      under = await open();
      store = under.store;
    });
    afterAll(() => under.destroy());

    const create = async (record: UserRecord): Promise<StoredUser> => {
      const { outcome } = await store.create({ record });
      if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      return outcome.user;
    };

    test("a created user is read back as it was acknowledged", async () => {
      const user = await create({ name: "Ada", email: "ada@example.com", tags: ["x", { y: null }] });
      expect(await store.read(user.id)).toEqual(user);
      expect(JSON.parse(user.json)).toMatchObject({ id: user.id, name: "Ada", version: 1 });
      expect(await store.read(user.id + 1000)).toBeUndefined();
    });

    test("of racing creates with one email, one wins", async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, (_, i) =>
          store.create({ record: { name: `R${i}`, email: i % 2 ? "r@x.io" : "R@X.io" } }),
        ),
      );
      const refused = outcomes.filter(({ outcome }) => "problem" in outcome);
      expect(refused).toHaveLength(63);
      expect(refused[0]?.outcome).toMatchObject({ problem: { type: "email-taken" } });
    });

    test("ids of racing creates are distinct, and higher than every id before them", async () => {
      const { id: before } = await create({ name: "Before" });
      const users = await Promise.all(Array.from({ length: 100 }, (_, i) => create({ name: `D${i}` })));
      expect(new Set(users.map(({ id }) => id)).size).toBe(100);
      expect(Math.min(...users.map(({ id }) => id))).toBeGreaterThan(before);
    });

    test("an edit applies to the user as it is, in whatever batch it comes", async () => {
      const { id } = await create({ name: "Counter" });
      await Promise.all(Array.from({ length: 50 }, (_, i) => store.edit(id, { merge: { [`k${i}`]: i } })));
      const user = await store.read(id);
      expect(user?.version).toBe(51);
      expect(Object.keys(JSON.parse(user?.json ?? "{}"))).toHaveLength(55);
    });

    test("of racing edits with one precondition, one wins", async () => {
      const { id } = await create({ name: "Once" });
      const results = await Promise.allSettled(
        Array.from({ length: 30 }, (_, i) => store.edit(id, { replace: { name: `N${i}` } }, [1])),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of results) {
        if (result.status === "rejected") expect(result.reason.type).toBe("version-mismatch");
      }
    });

    test("an edit to an email that is taken is refused and changes nothing", async () => {
      await create({ name: "Has", email: "has@example.com" });
      const user = await create({ name: "Wants", own: 1 });
      const attempt = store.edit(user.id, { merge: { email: "Has@Example.com", own: 2 } });
      expect(await refusalOf(attempt)).toBe("email-taken");
      expect(await store.read(user.id)).toEqual(user);
    });

    test("an edit or removal of nobody is user-not-found", async () => {
      expect(await refusalOf(store.edit(1e9, { merge: {} }))).toBe("user-not-found");
      expect(await refusalOf(store.remove(1e9, [1]))).toBe("user-not-found");
    });

    test("a removed user is gone from everywhere, and its email is free", async () => {
      const { id } = await create({ name: "Zephyrine Quux", email: "zq@example.com", colour: "mauve" });
      const before = (await store.stats()).users;
      expect(await refusalOf(store.remove(id, [2]))).toBe("version-mismatch");
      await store.remove(id);
      expect(await store.read(id)).toBeUndefined();
      expect((await store.stats()).users).toBe(before - 1);
      const list = async (query: Partial<ListQuery>) =>
        usersOf(await store.list({ ...everything, ...query }));
      expect(await list({ search: "zephyrine" })).toEqual([]);
      expect(await list({ filters: [{ kind: "custom", field: "colour", values: ["mauve"] }] })).toEqual([]);
      expect(
        await list({ filters: [{ kind: "column", field: "email", values: ["zq@example.com"] }] }),
      ).toEqual([]);
      expect((await create({ name: "Heir", email: "zq@example.com" })).id).toBeGreaterThan(id);
    });

    test("an edited user is found by what it is now and not by what it was", async () => {
      const { id } = await create({ name: "Olivier Before", email: "before@example.com", mood: "old" });
      await store.edit(id, { replace: { name: "Après Moi", email: "after@example.com", mood: "new" } });
      const list = async (query: Partial<ListQuery>) =>
        usersOf(await store.list({ ...everything, ...query })).map(({ id }) => id);
      expect(await list({ search: "olivier" })).toEqual([]);
      expect(await list({ search: "apres m" })).toEqual([id]);
      expect(await list({ search: "ap" })).toEqual([id]);
      const value = (field: string, text: string) =>
        list({ filters: [{ kind: "custom", field, values: [text] }] });
      expect(await value("mood", "old")).toEqual([]);
      expect(await value("mood", "new")).toEqual([id]);
      const name = (text: string) =>
        list({ filters: [{ kind: "column", field: "name", values: [foldCase(text)] }] });
      expect(await name("olivier before")).toEqual([]);
      expect(await name("Apres Moi")).toEqual([]);
      expect(await name("APRÈS MOI")).toEqual([id]);
    });

    test("a create under a key is done once: a repeat gets the first outcome, another body is a mismatch", async () => {
      const once = { caller: "c", key: "k1", fingerprint: "f" };
      const first = await store.create({ record: { name: "Once" } }, once);
      const users = (await store.stats()).users;
      const again = await store.create({ record: { name: "Once" } }, once);
      expect(again).toEqual({ ...first, replayed: true });
      expect((await store.stats()).users).toBe(users);
      const other = store.create({ record: { name: "Other" } }, { ...once, fingerprint: "g" });
      expect(await refusalOf(other)).toBe("idempotency-mismatch");
      expect((await store.create({ record: { name: "Once" } }, { ...once, caller: "d" })).replayed).toBe(
        false,
      );
    });

    test("refusals are outcomes too: taken emails and what was refused before it came here", async () => {
      await create({ name: "Owner", email: "owner@example.com" });
      const once = { caller: "c", key: "k2", fingerprint: "f" };
      const attempt = { record: { name: "Thief", email: "owner@example.com" } };
      const first = await store.create(attempt, once);
      expect(first.outcome).toMatchObject({ problem: { type: "email-taken" } });
      expect(await store.create(attempt, once)).toEqual({ ...first, replayed: true });
      const problem = {
        type: "invalid-user",
        detail: "d",
        errors: [{ pointer: "/name", detail: "x" }],
      } as const;
      const kept = await store.create({ problem }, { ...once, key: "k3" });
      expect(kept).toEqual({ outcome: { problem }, replayed: false });
      expect(await store.create({ problem }, { ...once, key: "k3" })).toEqual({ ...kept, replayed: true });
    });

    test("of racing creates under one key, one makes a user and the others get that user", async () => {
      const once = { caller: "c", key: "k4", fingerprint: "f" };
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => store.create({ record: { name: "Same" } }, once)),
      );
      expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(outcomes.map(({ outcome }) => JSON.stringify(outcome))).size).toBe(1);
    });
  });

  describe(`${engine}: lists`, () => {
    // The wide one looks at everything at once; the narrow one has to give up and go on every few users.
    const stores = new Map<string, StoreUnderTest>();
    const users: ModelUser[] = [];
    beforeAll(async () => {
      for (const [name, maxCandidates] of [
        ["wide", undefined],
        ["narrow", 7],
      ] as const)
        stores.set(name, await open(maxCandidates));
      for (const { store } of stores.values()) {
        users.length = 0;
        for (const record of crowd()) {
          const { outcome } = await store.create({ record });
          if ("problem" in outcome) throw ProblemError.of(outcome.problem);
        }
        for (let id = 3; id <= 150; id += 4) await store.edit(id, { merge: { edited: true } });
        for (let id = 10; id <= 150; id += 10) await store.remove(id);
      }
    });
    afterAll(async () => {
      for (const under of stores.values()) await under.destroy();
    });

    /** Follows next from the first page to the last, and returns every user and how each page was. */
    const follow = async (store: Store, query: ListQuery) => {
      const found: ModelUser[] = [];
      let from = query.from;
      for (let pages = 0; pages < 2000; pages++) {
        const page = await store.list({ ...query, from });
        const users = usersOf(page);
        expect(users.length).toBeLessThanOrEqual(query.limit);
        if (users.length > 1) expect(page.body.length).toBeLessThan(PAGE_BYTES + 2 * query.limit);
        found.push(...users);
        if (!page.next) return found;
        from = decodeCursor(query, encodeCursor(query, page.next));
        expect(from).toEqual(page.next);
      }
      throw new Error("The pages do not end.");
    };

    for (const breadth of ["wide", "narrow"]) {
      test(`any sort, filter, search and page size visits each user once and in order (${breadth})`, async () => {
        const { store } = stores.get(breadth) ?? (await open());
        const all = await follow(store, { ...everything, limit: 1000 });
        expect(all).toHaveLength(135);
        await fc.assert(
          fc.asyncProperty(queries(all), async (query) => {
            const expected = expectedList(all, query).slice(query.offset);
            const found = await follow(store, query);
            expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
            const { total } = await store.list({ ...query, limit: 1, count: true });
            const size = expectedList(all, query).length;
            if (!total?.capped) expect(total?.count).toBe(size);
            else expect(total.count).toBeLessThanOrEqual(size);
          }),
          { numRuns: breadth === "wide" ? 1000 : 300 },
        );
      }, 120_000);
    }

    test("of large users a page holds as many as it has room for, and next goes on with the others", async () => {
      const { store, destroy } = await open();
      // The first say little of those that follow them, and one is larger than a page.
      const sizes = Array.from({ length: 400 }, (_, i) =>
        i < 150 ? 16_000 : i === 300 ? 1_500_000 : i * 20,
      );
      const creates = sizes.map((size, i) =>
        store.create({
          record: {
            name: `Large ${i % 40}`,
            team: "red",
            ...(i % 3 && { email: `l${i}@x.io` }),
            bulk: ["x".repeat(size)],
          },
        }),
      );
      await Promise.all(creates);
      const all = await follow(store, { ...everything, limit: 1 });
      expect(all).toHaveLength(400);
      const queries: Partial<ListQuery>[] = [
        ...(["id", "name", "email", "createdAt"] as const).flatMap((sort) => [
          { sort },
          { sort, descending: true },
        ]),
        { offset: 200 },
        { search: "large" },
        { filters: [{ kind: "custom", field: "team", values: ["red"] }], sort: "name" },
      ];
      for (const asked of queries) {
        const query = { ...everything, limit: 1000, ...asked };
        const found = await follow(store, query);
        const expected = expectedList(all, query).slice(query.offset);
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }
      await destroy();
    }, 120_000);

    test("following next while others create and delete visits each user that stays exactly once", async () => {
      const { store } = stores.get("wide") ?? (await open());
      const stayed = await follow(store, { ...everything, limit: 1000 });
      for (const sort of ["id", "name", "email", "createdAt"] as const) {
        for (const descending of [false, true]) {
          const seen: number[] = [];
          let from: ListQuery["from"];
          const passing: number[] = [];
          do {
            const page = await store.list({ ...everything, sort, descending, limit: 10, from });
            seen.push(...usersOf(page).map(({ id }) => id));
            from = page.next;
            const { outcome } = await store.create({
              record: { name: `Zz${seen.length} Passing`, email: `p${seen.length}${sort}${descending}@x.io` },
            });
            if ("user" in outcome) passing.push(outcome.user.id);
            const gone = passing.length > 2 ? passing.shift() : undefined;
            if (gone !== undefined) await store.remove(gone);
          } while (from);
          for (const { id } of stayed) expect(seen.filter((one) => one === id)).toHaveLength(1);
          for (const id of passing) await store.remove(id);
        }
      }
    });
  });
}

function usersOf({ body }: Page): ModelUser[] {
  return JSON.parse(new TextDecoder().decode(body));
}

/** The type of the problem that this ends with. */
async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProblemError) return error.type;
  throw new Error(`Nothing was refused: ${error}`);
}

const names = [
  "Ada Lovelace",
  "ada lovelace",
  "Adà",
  "José Núñez",
  "Jose Nunez",
  "Zoë",
  "zoe",
  "Łukasz",
  "山田太郎",
  "Øyvind",
  "O'Brien",
  "Mary-Jane",
  "Straße",
  "𝒜da",
  "Ａｄａ",
  "नमस्ते",
  "Émile",
  "emile",
  "mile",
];
const departments = ["sales", "Sales", "engines", "3", ""];

function crowd(): UserRecord[] {
  return Array.from({ length: 150 }, (_, i) => {
    const record: UserRecord = { name: `${names[i % names.length]}${i % 5 === 0 ? "" : ` ${i % 13}`}` };
    if (i % 3 !== 0) record.email = `${i % 2 ? "User" : "é"}${i}@${i % 4 ? "example.com" : "Exämple.org"}`;
    record.department = departments[i % departments.length] ?? "";
    if (i % 4 === 0) record.level = i % 6;
    if (i % 7 === 0) record.active = i % 2 === 0;
    if (i % 11 === 0) record.note = null;
    if (i % 13 === 0) record.tags = ["a"];
    return record;
  });
}

/** Any list of these users, with values that match some of them and some that match none. */
function queries(users: readonly ModelUser[]): fc.Arbitrary<ListQuery> {
  const some = <T>(from: readonly T[]) =>
    fc.uniqueArray(fc.constantFrom(...from), { minLength: 1, maxLength: 3 });
  const value = (field: string, values: string[]): fc.Arbitrary<Filter> =>
    some(values).map((chosen) => ({ kind: "custom", field, values: chosen }));
  const filter: fc.Arbitrary<Filter> = fc.oneof(
    some(users.map(({ id }) => id).concat(9999)).map(
      (ids): Filter => ({ kind: "column", field: "id", values: ids }),
    ),
    some(users.map(({ email }) => foldCase(email ?? "none@none"))).map(
      (keys): Filter => ({ kind: "column", field: "email", values: keys }),
    ),
    some(users.map(({ createdAt }) => Date.parse(createdAt))).map(
      (numbers): Filter => ({ kind: "column", field: "createdAt", values: numbers }),
    ),
    some(users.map(({ updatedAt }) => Date.parse(updatedAt))).map(
      (numbers): Filter => ({ kind: "column", field: "updatedAt", values: numbers }),
    ),
    value("department", [...departments, "none"]),
    value("level", ["0", "2", "4", "5"]),
    value("active", ["true", "false"]),
    value("note", ["null"]),
    value("edited", ["true"]),
    value("tags", ["a"]),
    some([1, 2, 3]).map((numbers): Filter => ({ kind: "column", field: "version", values: numbers })),
    some(names.map(foldCase)).map((keys): Filter => ({ kind: "column", field: "name", values: keys })),
  );
  const pieces = fc.oneof(
    fc
      .constantFrom(...users.map(({ name }) => name), ...users.map(({ email }) => email ?? "x"))
      .chain((text) => {
        const characters = [...foldText(text)];
        return fc.tuple(fc.nat(characters.length - 1), fc.integer({ min: 1, max: 8 })).map(
          ([start, length]) =>
            characters
              .slice(start, start + length)
              .join("")
              .trim() || "a",
        );
      }),
    fc.constantFrom("ada", "a", "lo", "1", "example", "nobody at all", '"', "' OR 1=1", "%", "*"),
  );
  return fc.record({
    sort: fc.constantFrom("id", "name", "email", "createdAt", "updatedAt"),
    descending: fc.boolean(),
    limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(100)),
    from: fc.constant(undefined),
    offset: fc.oneof(fc.constant(0), fc.nat(30)),
    search: fc.option(pieces, { nil: undefined }),
    filters: fc.uniqueArray(filter, {
      maxLength: 3,
      selector: ({ field }) => field,
    }),
    count: fc.constant(false),
  });
}
