import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../../src/contract/json.ts";
import { onEachEngine } from "../../support/engines.ts";
import { type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(180_000);

const USERS = 250;
const GROUPS = 40;

type Page = JsonObject & { readonly ids: readonly string[] };

onEachEngine((engine) => {
  let service: ScimService;
  beforeAll(async () => {
    service = await startScimService(engine);
    await service.importUsers(
      Array.from({ length: USERS }, (_, index) => ({
        name: `User ${(index * 7919) % 100}`,
        department: `D${index % 3}`,
        ...(index % 4 > 0 && { title: `T${index % 5}` }),
      })),
    );
    const scim = await service.connect();
    for (let index = 0; index < GROUPS; index++)
      await scim.create("/Groups", { displayName: `Group ${(index * 7) % GROUPS}` });
  });
  afterAll(() => service.stop());

  const reader =
    (scim: ScimCaller, request: string) =>
    async (more: object): Promise<Page> => {
      const [path = "", query = ""] = request.split("?");
      const parameters = { ...Object.fromEntries(new URLSearchParams(query)), attributes: "id", ...more };
      const { body } = path.includes(".search")
        ? await scim.expect(`POST ${path}`, parameters)
        : await scim.expect(
            `GET ${path}?${new URLSearchParams(Object.entries(parameters).map(([n, v]) => [n, String(v)]))}`,
          );
      const { Resources } = body;
      return { ...body, ids: (Array.isArray(Resources) ? Resources : []).map((each) => Object(each).id) };
    };

  /** Reads pages as Okta does: `startIndex` grows by `count`, until it is beyond the total. */
  const readByIndex = async (
    read: (more: object) => Promise<Page>,
    count: number,
    between: (page: number) => Promise<void> = async () => undefined,
  ): Promise<string[]> => {
    const found: string[] = [];
    for (let startIndex = 1, page = 1; ; startIndex += count, page++) {
      const { ids, totalResults, itemsPerPage } = await read({ startIndex, count });
      found.push(...ids);
      expect(itemsPerPage).toBe(ids.length);
      if (Number(totalResults) < startIndex + count) return found;
      // Only the last page may be short.
      expect(ids).toHaveLength(count);
      await between(page);
    }
  };
  const readByCursor = async (read: (more: object) => Promise<Page>, count: number): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const { ids, nextCursor } = await read({ cursor, count });
      found.push(...ids);
      if (typeof nextCursor !== "string") return found;
      expect(nextCursor).toMatch(/^[\w.~-]+$/);
      expect(ids).toHaveLength(count);
      cursor = nextCursor;
    }
  };

  const lists = [
    "/Users",
    "/Users?sortBy=displayName",
    "/Users?sortBy=title&sortOrder=descending",
    "/Users?sortBy=meta.lastModified",
    '/Users?filter=department eq "D1"',
    '/Users?filter=department eq "D1"&sortBy=title',
    "/Users?filter=title co 1 and not (department eq D2)",
    "/Groups",
    "/Groups?sortBy=displayName&sortOrder=descending",
    "/Users/.search",
    "/.search",
    "/.search?sortBy=displayName",
    "/.search?filter=displayName co 3",
  ];

  describe("The pages of a list together", () => {
    test.each(lists)("%s: are the whole list, for any count, by index and by cursor", async (request) => {
      const scim = await service.connect();
      const read = reader(scim, request);
      const all = await read({ count: 1000 });
      expect(all.ids).toHaveLength(Number(all.totalResults));
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (count) => {
          fc.pre(count > 20 || all.ids.length < 100);
          expect(await readByIndex(read, count)).toEqual([...all.ids]);
          expect(await readByCursor(read, count)).toEqual([...all.ids]);
        }),
        { numRuns: 3, endOnFailure: true },
      );
    });

    test.each(lists)("%s: begin at any index", async (request) => {
      const scim = await service.connect();
      const read = reader(scim, request);
      const all = await read({ count: 1000 });
      const length = all.ids.length;
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: length + 3 }),
          fc.integer({ min: 1, max: 60 }),
          async (startIndex, count) => {
            const page = await read({ startIndex, count });
            const expected = all.ids.slice(startIndex - 1, startIndex - 1 + count);
            expect([page.ids, page.totalResults, page.startIndex]).toEqual([expected, length, startIndex]);
          },
        ),
        { numRuns: 8 },
      );
    });
  });

  describe("While users are created and deleted", () => {
    /** What others do between two pages: which of the users that are there they delete, and how many they create. */
    const changes = fc.array(
      fc.record({ deleted: fc.array(fc.nat(), { maxLength: 30 }), created: fc.nat({ max: 30 }) }),
      { minLength: 1, maxLength: 6 },
    );

    test.each([
      "/Users",
      "/Users?sortBy=displayName&sortOrder=descending",
      "/Users?filter=title eq x",
      "/Users?filter=title eq x&sortBy=displayName",
    ])("%s: an import in pages gets each user that is there the whole time once", async (request) => {
      await fc.assert(
        fc.asyncProperty(changes, fc.integer({ min: 30, max: 120 }), async (steps, count) => {
          const scim = await service.connect();
          const read = reader(scim, request);
          const newUsers = (size: number) =>
            service.importUsers(
              Array.from({ length: size }, (_, index) => ({ name: `N${index}`, title: "x" })),
            );
          await newUsers(150);
          const before = (await read({ count: 1000 })).ids;
          const deleted = new Set<string>();
          const found = await readByIndex(read, count, async (page) => {
            const step = steps[page % steps.length];
            if (!step) return;
            const ids = step.deleted.flatMap((number) => before[number % before.length] ?? []);
            for (const id of new Set(ids)) {
              if (deleted.has(id)) continue;
              deleted.add(id);
              await scim.expect(`DELETE /Users/${id}`);
            }
            if (page < 10 && step.created > 0) await newUsers(step.created);
          });
          expect(new Set(found).size).toBe(found.length);
          expect(before.filter((id) => !deleted.has(id) && !found.includes(id))).toEqual([]);
        }),
        { numRuns: 3, endOnFailure: true },
      );
    });

    test("an import of 100 per page loses no user when all users that were read are deleted", async () => {
      const scim = await service.connect();
      const read = reader(scim, '/Users?filter=title eq "moving"');
      const created = await service.importUsers(
        Array.from({ length: 450 }, () => ({ name: "Moving", title: "moving" })),
      );
      let isRead: readonly string[] = [];
      const found = await readByIndex(
        async (more) => {
          const page = await read(more);
          isRead = page.ids;
          return page;
        },
        100,
        async () => {
          for (const id of isRead) await scim.expect(`DELETE /Users/${id}`);
        },
      );
      expect(found).toEqual(created.map(String));
    });

    test("an import in another order ends with the list, although users are created in front of its pages", async () => {
      const scim = await service.connect();
      const read = reader(scim, '/Users?filter=title eq "front"&sortBy=displayName&sortOrder=descending');
      const create = (name: string) =>
        service.importUsers(
          Array.from({ length: 60 }, (_, index) => ({ name: `${name} ${index}`, title: "front" })),
        );
      const before = (await create("Middle")).map(String);
      const found = await readByIndex(read, 25, async () => {
        await create("Zulu");
      });
      expect(found.sort()).toEqual(before.sort());
    });

    test("the total of a page is not less than the page has, although users were created since they were counted", async () => {
      const scim = await service.connect();
      const read = reader(scim, '/Users?filter=title eq "late"');
      const create = () =>
        service.importUsers(Array.from({ length: 9 }, () => ({ name: "Late", title: "late" })));
      const expectTotal = ({ ids, totalResults }: Page) =>
        expect(Number(totalResults)).toBeGreaterThanOrEqual(ids.length);
      await create();
      await read({ count: 1 });
      await create();
      expectTotal(await read({ startIndex: 2 }));
      const { nextCursor } = await read({ count: 1, cursor: "" });
      await create();
      expectTotal(await read({ cursor: nextCursor }));
    });

    test("two callers read the same list independently", async () => {
      const [one, other] = [await service.connect(), await service.connect()].map((scim) =>
        reader(scim, "/Users"),
      );
      if (!one || !other) throw new Error("Two callers are needed.");
      const first = await one({ count: 100 });
      await other({ count: 50 });
      await (await service.connect()).expect(`DELETE /Users/${first.ids[0]}`);
      const [next, others] = [
        await one({ startIndex: 101, count: 1 }),
        await other({ startIndex: 101, count: 1 }),
      ];
      // The first caller goes on after what it has read. The other one has not read so far: it gets what is there now.
      expect(Number(others.ids[0])).toBeGreaterThan(Number(next.ids[0]));
    });

    test("an hour later, a page begins at its index", async () => {
      const scim = await service.connect();
      const read = reader(scim, "/Users");
      const first = await read({ count: 100 });
      await scim.expect(`DELETE /Users/${first.ids[0]}`);
      const next = await read({ startIndex: 101, count: 1 });
      await service.clock.advance(3_600_001);
      const later = await read({ startIndex: 101, count: 1 });
      expect(Number(later.ids[0])).toBeGreaterThan(Number(next.ids[0]));
    });
  });
});
