import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseUserFilter } from "../../src/scim/filter/parse-filter.ts";
import { allUsers, type StoreUnderTest, storeOpener } from "../store/support/store-under-test.ts";
import { onEachEngine } from "../support/engines.ts";

const USERS = 4000;
/** The most users that one list examines. */
const MAX_CANDIDATES = 500;

/** One in four users has an email of its own, one in four shares the address, two have an entry besides it, as SCIM stores them. */
function recordOf(id: number) {
  const address = `user${id}@example.com`;
  return {
    name: `User ${id}`,
    externalId: id <= USERS / 2 ? `Ext-${id}` : "SAME",
    ...(id % 2 === 0 && { userName: address }),
    ...(id % 4 > 0 && { email: address }),
    ...(id % 4 === 0 && { emails: [{ value: address, type: "work", primary: true }] }),
    ...(id % 4 > 1 && {
      emails: [
        { type: "work", primary: true },
        { value: `home${id}@example.com`, type: "home" },
      ],
    }),
  };
}

onEachEngine((engine) => {
  let opened: StoreUnderTest;
  beforeAll(async () => {
    opened = await storeOpener(engine)(MAX_CANDIDATES);
    const lines = Array.from({ length: USERS }, (_, index) => ({
      json: JSON.stringify(recordOf(index + 1)),
    }));
    for (let first = 0; first < USERS; first += 500)
      await opened.store.users.import(lines.slice(first, first + 500));
  });
  afterAll(() => opened.destroy());

  const queryOf = (filter: string) => {
    const { filters, expression } = parseUserFilter(filter);
    return { ...allUsers, limit: 20, filters, expression };
  };

  test.each<[filter: string, found: number, rowsRead: number]>([
    ['id eq "777"', 1, 1],
    ['id eq "777" and active eq true', 1, 1],
    ['userName eq "user3002@example.com"', 1, 1],
    ['userName eq "user3001@example.com"', 1, 1],
    ['userName eq "nobody@example.com"', 0, 0],
    ['userName eq "user2@example.com" or userName eq "user3@example.com"', 2, 2],
    ['userName eq "roster-3001"', 0, 1],
    ['externalId eq "Ext-777"', 1, 1],
    // Another spelling is read and left out.
    ['externalId eq "EXT-777"', 0, 1],
    ['emails[type eq "work"].value eq "user3000@example.com"', 1, 1],
    ['emails[type eq "work"].value eq "user3001@example.com"', 1, 1],
    ['emails[type eq "work"].value eq "user3002@example.com"', 1, 1],
    ['emails[type eq "work" and value eq "home3003@example.com"]', 0, 1],
    ['emails.value eq "home3003@example.com"', 1, 1],
    ['emails eq "nobody@example.com"', 0, 0],
    ['emails.value eq "user1@example.com" or externalId eq "Ext-9"', 2, 2],
    ['meta.lastModified gt "2999-01-01T00:00:00Z"', 0, 0],
  ])("an index finds the users: %s", async (filter, found, rowsRead) => {
    const explanation = await opened.store.users.explain(queryOf(filter));
    expect(explanation).toMatchObject({ found, complete: true, hasMore: false });
    expect(["index", "sort", "unique"]).toContain(explanation.plan.kind);
    expect(explanation.rowsRead).toBe(rowsRead);
    const { total } = await opened.store.users.list({ ...queryOf(filter), count: true });
    expect(total).toEqual({ count: found, capped: false });
  });

  test.each([
    'meta.lastModified gt "2020-01-01T00:00:00Z"',
    'externalId eq "same"',
    'externalId eq "SAME"',
    "emails pr",
    "not (emails pr)",
    'emails.type eq "other"',
    'emails.value ew "@example.org"',
    'userName co "user39"',
    'userName sw "roster-39"',
    "title pr or active eq false",
    `not (${Array.from({ length: 15 }, (_, i) => `emails[type eq "work"].value eq "user${i}@example.com"`).join(" or ")})`,
  ])("a list examines a limited number of users: %s", async (filter) => {
    const explanation = await opened.store.users.explain(queryOf(filter));
    expect(explanation.rowsRead).toBeLessThanOrEqual(2 * MAX_CANDIDATES);
  });
});
