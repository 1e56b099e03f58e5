import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/contract/json.ts";
import type { UserRecord } from "../../src/contract/users/user.ts";
import { decodeCursor, encodeCursor } from "../../src/domain/lists/cursor.ts";
import { type UserListQuery, userListFields } from "../../src/domain/users/user-list-fields.ts";
import { urns } from "../../src/scim/attributes.ts";
import { parseUserFilter } from "../../src/scim/filter/parse-filter.ts";
import { ScimError } from "../../src/scim/scim-error.ts";
import { userDocument } from "../../src/scim/user-document.ts";
import type { ModelRow } from "../store/support/store-model.ts";
import { allUsers, rowsOf, type StoreUnderTest, storeOpener } from "../store/support/store-under-test.ts";
import { onEachEngine } from "../support/engines.ts";
import { takeUnique } from "../support/filter/arbitraries.ts";
import {
  type ModelComparison,
  type ModelFilter,
  type ModelPath,
  matchesDocument,
  writeFilter,
} from "./support/filter-model.ts";

const USERS = 60;
const OTHER = "urn:example:params:scim:schemas:extension:site:1.0:User";

const addresses = ["ada@example.com", "Ada@Example.com", "bob@example.com", "cyd@example.org"];
/** None of them is an address: a user name is unique among both. */
const userNames = ["ada", "ADA", "bob", "ada@example", "roster-x"];
const texts = ["Chief", "chief", "Lead", ""];
const types = ["work", "Work", "home", "other"];

/** Values that are no list of entries as SCIM has them. */
const misfits: readonly Json[] = [
  "chief",
  5,
  true,
  ["chief"],
  [{ value: 5 }],
  [{ Value: "chief" }],
  { value: "chief" },
  [],
];

const optional = <T>(value: fc.Arbitrary<T>, freq = 2) => fc.option(value, { nil: undefined, freq });
const textOrMisfit = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Json>(...texts) },
  fc.constantFrom<Json>(...misfits),
);

function withoutUndefined(members: { readonly [name: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const entry = (values: readonly string[]) =>
  fc
    .record({
      value: optional(fc.constantFrom(...values), 6),
      type: optional(fc.constantFrom(...types)),
      display: optional(fc.constantFrom(...texts), 1),
      primary: optional(fc.boolean(), 1),
    })
    .map(withoutUndefined);

/** Entries with the same type and value count as one, and so may those without a value: SCIM writes no such records. */
const entries = (values: readonly string[]) =>
  fc.uniqueArray(entry(values), {
    minLength: 1,
    maxLength: 3,
    selector: ({ type, value }) => (value === undefined ? "" : `${type} ${value}`.toLowerCase()),
  });

const listOrMisfit = (
  values: readonly string[],
  list = entries(values).map(withoutEmpty),
): fc.Arbitrary<Json> => fc.oneof({ weight: 5, arbitrary: list }, fc.constantFrom<Json>(...misfits));

function withoutEmpty(list: readonly JsonObject[]): JsonObject[] {
  return list.filter((element) => Object.keys(element).length > 0);
}

const arbitraryUser: fc.Arbitrary<JsonObject> = fc
  .record({
    email: optional(fc.constantFrom(...addresses, "dan@example.net", "eve@example.net")),
    userName: optional(fc.constantFrom(...userNames)),
    active: optional(fc.boolean()),
    // The entry of the field email can have nothing else.
    emails: optional(listOrMisfit(addresses, entries(addresses))),
    title: optional(textOrMisfit),
    externalId: optional(
      fc.oneof(fc.constantFrom<Json>("Ab", "AB", "ab"), fc.constantFrom<Json>(...misfits)),
    ),
    givenName: optional(textOrMisfit),
    familyName: optional(textOrMisfit),
    department: optional(textOrMisfit),
    manager: optional(
      fc.constantFrom<Json>(
        { value: "7" },
        { value: "a" },
        { value: "A" },
        "7",
        { value: 7 },
        { displayName: "Chief" },
        { value: "7", $ref: 7 },
      ),
    ),
    phoneNumbers: optional(listOrMisfit(texts)),
    roles: optional(listOrMisfit(texts)),
    photos: optional(listOrMisfit(["Ab", "AB"])),
    level: optional(fc.constantFrom<Json>(1, 2, "Chief", [1, "Lead"], true)),
    place: optional(
      fc.constantFrom<Json>({ city: "Lead" }, [
        { city: "chief", code: 2 },
        { city: "Lead", code: 1 },
      ]),
    ),
    scim: optional(
      fc.constantFrom<Json>(
        { extensions: { [OTHER]: { code: 1, tags: ["Lead"] } } },
        { extensions: { [OTHER]: { code: "Chief" } } },
      ),
    ),
  })
  .map(withoutUndefined);

const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"];
const idTexts = Array.from({ length: USERS }, (_, index) => String(index + 1));

/** Comparisons of text, by path. */
const textPaths: readonly (readonly [ModelPath, readonly string[]])[] = [
  [
    { attribute: "userName" },
    [...userNames, ...addresses, "roster-1", "roster-12", "er-1", "-", "2", "roster-", "ros"],
  ],
  [{ attribute: "id" }, [...idTexts, "1", "g1", "x", "007"]],
  [{ attribute: "externalId" }, ["Ab", "AB", "a", "B"]],
  [{ attribute: "displayName" }, ["user 1", "USER 12", "2"]],
  [{ attribute: "title" }, texts],
  [{ attribute: "name", sub: "givenName" }, texts],
  [{ attribute: "name", sub: "familyName" }, texts],
  [{ attribute: "department" }, texts],
  [{ urn: urns.enterpriseUser, attribute: "department" }, texts],
  [{ urn: urns.enterpriseUser, attribute: "manager" }, ["7", "a", "A"]],
  [{ attribute: "manager", sub: "value" }, ["7", "a", "A"]],
  [{ attribute: "emails" }, addresses],
  [{ attribute: "emails", sub: "value" }, [...addresses, "example.org", "ada"]],
  [{ attribute: "emails", sub: "type" }, types],
  [{ attribute: "phoneNumbers", sub: "value" }, texts],
  [{ attribute: "phoneNumbers", sub: "display" }, texts],
  [{ attribute: "roles" }, texts],
  [{ attribute: "photos", sub: "value" }, ["Ab", "AB", "a"]],
  [{ urn: urns.rosterUser, attribute: "title" }, texts],
  [{ urn: urns.rosterUser, attribute: "emails" }, ["chief"]],
  [{ urn: urns.rosterUser, attribute: "level" }, texts],
  [{ urn: urns.rosterUser, attribute: "place", sub: "city" }, texts],
  [{ urn: urns.rosterUser, attribute: "name" }, texts],
  [{ urn: OTHER, attribute: "code" }, texts],
  [{ urn: OTHER, attribute: "tags" }, texts],
  [{ attribute: "unknown" }, texts],
  [{ attribute: "name", sub: "unknown" }, texts],
];

const comparison = (
  path: ModelPath,
  values: readonly (string | number | boolean)[],
  among: readonly string[] = operators,
) =>
  fc
    .tuple(
      fc.constantFrom(...among),
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom<string | number | boolean | null>(...values) },
        fc.constant(null),
      ),
    )
    .map(([operator, value]): ModelComparison => ({ kind: "comparison", path, operator, value }));

const present = (path: ModelPath): ModelComparison => ({ kind: "comparison", path, operator: "pr" });

function combined(leaf: fc.Arbitrary<ModelFilter>, maxDepth: number): fc.Arbitrary<ModelFilter> {
  const { filter } = fc.letrec<{ filter: ModelFilter }>((tie) => {
    const parts = fc.array(tie("filter"), { minLength: 2, maxLength: 3 });
    return {
      filter: fc.oneof(
        { maxDepth },
        { weight: 5, arbitrary: leaf },
        fc.record({ kind: fc.constantFrom("and", "or"), parts }),
        tie("filter").map((part) => ({ kind: "not", part }) as const),
      ),
    };
  });
  return filter;
}

/** Conditions in brackets. */
const conditions = (values: readonly string[]): fc.Arbitrary<ModelFilter> =>
  combined(
    fc.oneof(
      comparison({ attribute: "value" }, values),
      comparison({ attribute: "type" }, types),
      comparison({ attribute: "primary" }, [true, false], ["eq", "ne"]),
      comparison({ attribute: "display" }, texts),
      comparison({ attribute: "unknown" }, texts),
      fc.constantFrom("value", "type", "primary", "display").map((attribute) => present({ attribute })),
    ),
    2,
  );

const bracketed = (attribute: string, values: readonly string[]): fc.Arbitrary<ModelFilter> =>
  fc
    .tuple(
      conditions(values),
      optional(fc.constantFrom("value", "type", "display")),
      fc.constantFrom(...operators, "pr", undefined),
    )
    .chain(([where, sub, operator]) => {
      const path: ModelPath = { attribute, where, ...(sub !== undefined && { sub }) };
      const isTested = operator === "pr" || (operator === undefined && sub === undefined);
      return isTested
        ? fc.constant<ModelComparison>({ kind: "comparison", path, operator })
        : comparison(path, sub === "type" ? types : [...values, ...texts], operator ? [operator] : operators);
    });

const leaves: fc.Arbitrary<ModelFilter> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...textPaths).chain(([path, values]) => comparison(path, values)) },
  { weight: 3, arbitrary: fc.constantFrom(...textPaths).map(([path]) => present(path)) },
  { weight: 3, arbitrary: bracketed("emails", addresses) },
  bracketed("phoneNumbers", texts),
  bracketed("roles", texts),
  comparison({ attribute: "active" }, [true, false], ["eq", "ne"]),
  comparison({ attribute: "emails", sub: "primary" }, [true, false], ["eq", "ne"]),
  comparison({ urn: urns.rosterUser, attribute: "level" }, [1, 2]),
  comparison({ urn: OTHER, attribute: "code" }, [1, 2]),
  comparison({ attribute: "meta", sub: "resourceType" }, ["User", "user", "Group"], ["eq", "ne"]),
  fc
    .constantFrom("active", "emails", "name", "manager", "phoneNumbers", "roles", "photos", "meta")
    .map((attribute) => present({ attribute })),
);

const filters = combined(leaves, 3);

/** Names in some other case. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toLowerCase(),
  (name) => name.toUpperCase(),
];

onEachEngine((engine) => {
  let opened: StoreUnderTest;
  beforeAll(async () => {
    opened = await storeOpener(engine)();
    await opened.store.users.import(
      Array.from({ length: USERS }, (_, index) => ({ json: JSON.stringify({ name: `User ${index + 1}` }) })),
    );
  });
  afterAll(() => opened.destroy());

  const readAll = async (query: UserListQuery): Promise<ModelRow[]> => {
    const found: ModelRow[] = [];
    let { from } = query;
    do {
      const page = await opened.store.users.list({ ...query, from });
      found.push(...rowsOf(page));
      from = page.next && decodeCursor(userListFields, query, encodeCursor(query, page.next));
    } while (from);
    return found;
  };

  const replaceUsers = async (edits: readonly (readonly [number, JsonObject])[]) => {
    const taken = new Set<string>();
    const changed = new Set(edits.map(([id]) => id));
    for (const { id, email, userName } of await readAll(allUsers)) {
      if (changed.has(id)) await opened.store.users.edit(id, { merge: { email: null, userName: null } });
      else takeUnique({ email, userName }, taken);
    }
    for (const [id, { email, userName, ...fields }] of edits) {
      const unique = takeUnique({ email, userName }, taken);
      const record: UserRecord = { name: `User ${id}`, ...fields, ...unique };
      await opened.store.users.edit(id, { replace: record });
    }
  };

  test("a filter finds the users whose documents match", async () => {
    let found = 0;
    let missed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: USERS }), arbitraryUser), {
          minLength: 30,
          maxLength: 40,
        }),
        fc.array(fc.tuple(filters, fc.constantFrom(...spellings)), { minLength: 40, maxLength: 40 }),
        async (edits, chosen) => {
          await replaceUsers([...new Map(edits)]);
          const users = await readAll(allUsers);
          for (const [filter, spell] of chosen) {
            const text = writeFilter(filter, spell);
            const query = parseOrSkip(text);
            if (!query) continue;
            const expected = users
              .filter((user) => matchesDocument(filter, shownDocument(user)))
              .map(({ id }) => id);
            const ids = (await readAll({ ...allUsers, limit: 7, ...query })).map(({ id }) => id);
            expect([text, ...ids]).toEqual([text, ...expected]);
            const { total } = await opened.store.users.list({ ...allUsers, limit: 1, ...query, count: true });
            expect([text, total?.count]).toEqual([text, expected.length]);
            found += ids.length;
            missed += users.length - ids.length;
          }
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
    // Otherwise the random values prove little.
    expect(Math.min(found, missed)).toBeGreaterThan(1000);
  }, 120_000);
});

/** A filter that compares too much is refused. */
function parseOrSkip(text: string): Pick<UserListQuery, "filters" | "expression"> | undefined {
  try {
    const { filters: found, expression } = parseUserFilter(text);
    return { filters: found, expression };
  } catch (error) {
    if (
      error instanceof ScimError &&
      /Send fewer comparisons|at most 50 comparisons|at most 4096 characters|at most 8 levels/.test(
        error.message,
      )
    )
      return undefined;
    throw error;
  }
}

/** Filters compare the name of each user, also if SCIM does not show it because it follows other attributes. */
function shownDocument(user: ModelRow): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(user));
  return { ...userDocument(json, (path) => path), displayName: user.name };
}
