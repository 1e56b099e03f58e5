import { expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import type { MembershipFilter } from "../../src/domain/lists/listing.ts";
import { numberKey, textKey } from "../../src/domain/lists/value-index.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { userQueries } from "../../src/http/query/user-queries.ts";
import { groupList } from "../../src/store/groups/group-list.ts";
import { runSteps } from "../../src/store/sql/sql-steps.ts";
import { connect, openDatabase } from "../../src/store/sqlite/database.ts";
import { ListReader } from "../../src/store/sqlite/list-reader.ts";
import { StatementCache } from "../../src/store/sqlite/statement-cache.ts";
import { sqliteTables } from "../../src/store/sqlite/table-dialect.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import { userList } from "../../src/store/users/user-list.ts";
import { eventQueries } from "./support/event-queries.ts";
import { planExpressions } from "./support/plan-expressions.ts";
import { allGroups } from "./support/store-under-test.ts";

/** Scans that are bounded. */
const bounded = [
  /^SCAN (u|directory|d|i|p|r|s|w|\(subquery-\d+\))$/, // users in id order up to LIMIT, a table of one row, or the rows of a subquery
  /^SCAN u USING (COVERING )?INDEX users_by_\w+$/, // users in index order up to LIMIT
  /^SCAN user_search VIRTUAL TABLE INDEX \d+:M1><$/, // a range of ids
  /^SCAN (CONSTANT ROW|entries|found|v)$/, // the steps of a skip scan
  /^SCAN (\d+ CONSTANT ROWS|e)$/, // the values of a field, and the first entries of each
  /^SCAN (e|w|json_each)( EXISTS)? VIRTUAL TABLE INDEX 1:$/, // the values of one user, or of one filter
];

test("every list of users, fields and values uses indexes: no statement scans the table or sorts an unbounded number of rows", () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-plans-"));
  const path = join(folder, "roster.db");
  const writerDb = openDatabase(path, 0);
  new Writer(writerDb, defaultRecordRules).apply(
    Array.from({ length: 400 }, (_, i) => ({
      kind: "create" as const,
      by: anonymousOrigin,
      idempotencyKey: undefined,
      attempt: {
        record: {
          name: `Ada Lovelace ${i}`,
          email: `ada${i}@example.com`,
          team: i % 3,
          site: i % 2 ? "a" : "b",
          ...(i % 5 === 0 && { tags: ["a", "b", i] }),
          // Too many elements for the index.
          ...(i === 7 && { tags: Array.from({ length: 300 }, (_, element) => element) }),
        },
      },
    })),
  );
  writerDb.close();
  const db = connect(path, 0);
  const prepare = spyOn(db, "prepare");
  const reader = new ListReader(db, userList, 50);

  // All entries of the index are in another spelling: the list stops after 50 of them.
  expect(reader.page(userQueries.parse("site=A&limit=5"))).toMatchObject({ size: 0, next: { id: 98 } });
  expect(reader.countRound(userQueries.parse("site=A"), undefined)).toEqual({ found: 0, last: 98 });

  const filters = [
    "",
    "q=ada",
    "q=lo",
    "q=lovelace+33",
    "team=1",
    "team=1&team=2&q=lov",
    "team=1&site=a",
    "tags=a",
    "tags=a&tags=7&site=a",
    "id=5&id=7",
  ];
  filters.push(
    "email=ada7@example.com",
    "name=ada+lovelace+7",
    "version=1&site=b",
    "updatedAt=2026-01-01T00:00:00.000Z&team=1",
  );
  const sorts = ["id", "name", "email", "createdAt", "updatedAt"].flatMap((field) => [field, `-${field}`]);
  const expressions = planExpressions.map((expression) => `filter=${encodeURIComponent(expression)}`);
  const lists = [
    ...sorts.flatMap((sort) => filters.map((filter) => ({ sort, filter }))),
    ...["id", "-name", "team"].flatMap((sort) => expressions.map((filter) => ({ sort, filter }))),
  ];
  for (const { sort, filter } of lists) {
    // To skip 40 users takes one round of work, to skip 300 several.
    for (const paging of ["", "&offset=40", "&offset=300", "&count=true"]) {
      const query = userQueries.parse(`sort=${sort}&limit=5&${filter}${paging}`);
      const { next } = reader.page(query);
      if (next) reader.page({ ...query, from: next, offset: 0 });
      if (query.count && filter) reader.countRound(query, undefined);
      if (!query.count) reader.explain(query);
    }
  }

  const memberships: MembershipFilter[] = [
    { kind: "membership", by: "id", values: [1] },
    { kind: "membership", by: "id", values: [1, 2, 3] },
    { kind: "membership", by: "name", values: ["a", "b"] },
    { kind: "membership", by: "any", values: [] },
  ];
  const groups = new ListReader(db, groupList, 50);
  for (const filter of memberships.flatMap((each) => [each, { ...each, negated: true }]))
    for (const text of [
      "",
      "sort=name",
      "q=lovelace",
      "team=1&sort=-email",
      "offset=300",
      "sort=-id&count=true",
    ]) {
      const query = userQueries.parse(`limit=5&${text}`);
      const filtered = { ...query, filters: [...query.filters, filter] };
      reader.page(filtered);
      if (query.count) reader.countRound(filtered, undefined);
      else reader.explain(filtered);
      if (filter.by !== "name") groups.page({ ...allGroups, filters: [filter], offset: query.offset });
    }

  reader.customFields();
  for (const prefix of ["", "a"]) {
    reader.fieldValues("site", prefix);
    reader.fieldValueCounts("site", prefix);
  }

  const prepared = new Set(prepare.mock.calls.map(([text]) => text));
  const searches = [...prepared].filter((text) => text.includes(" FROM memberships "));
  expect(searches.length).toBeGreaterThan(20);
  for (const text of searches) {
    const values = Array.from(text.matchAll(/\?/g), () => 1);
    const steps = db.query<{ detail: string }, number[]>(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    // A group has any number of members, and a user has few groups. The first member tells whether a group has members.
    const isOfAny = text.includes("FROM users g WHERE g.id = v.user_id");
    const readsFew = /\(group_id=\? AND user_id[=>]|\(user_id=\?( AND group_id[=>]|\))|\(field=\?/;
    for (const { detail } of steps.filter(({ detail }) => /^(SCAN|SEARCH) v /.test(detail))) {
      const isBounded = readsFew.test(detail) || (isOfAny && detail.endsWith("(group_id=?)"));
      expect({ text, detail, isBounded }).toEqual({ text, detail, isBounded: true });
    }
  }
  for (const text of [...prepared].filter((statement) => /^(SELECT|WITH)/.test(statement))) {
    const values = Array.from(text.matchAll(/\?/g), () => 1);
    const steps = db.query<{ detail: string }, number[]>(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    // SQLite would prepare the statement again each time it runs.
    expect(text).not.toMatch(/LIMIT \?(?! \+ 0)/);
    // At most `maxCandidates` rows, or the steps of a skip scan.
    const sortsFew = text.includes("CROSS JOIN users u ON u.id = d.id") || text.startsWith("WITH RECURSIVE");
    // The entries up to this limit, or the candidates to sort.
    const groupsFew = /LIMIT \d+ ?\) d( GROUP BY id| WHERE d.ok|$)|SELECT DISTINCT id .* i LIMIT -1\) d/.test(
      text,
    );
    const countsFirst = /count\(DISTINCT user_id\)\s+FROM \(SELECT .* LIMIT \d+\) e\)/.test(text);
    for (const { detail } of steps) {
      if (/^(SCAN|USE TEMP)/.test(detail)) {
        const isBounded =
          bounded.some((pattern) => pattern.test(detail)) ||
          (sortsFew && detail === "USE TEMP B-TREE FOR ORDER BY") ||
          (countsFirst && detail === "USE TEMP B-TREE FOR count(DISTINCT)") ||
          (groupsFew && /^USE TEMP B-TREE FOR (GROUP BY|DISTINCT)$/.test(detail));
        expect({ text, detail, isBounded }).toEqual({ text, detail, isBounded: true });
      }
    }
  }
  expect(prepared.size).toBeGreaterThan(200);
  db.close();
  rmSync(folder, { recursive: true });
}, 30_000);

test("every list of events reads them in the order of their positions, from a position on: none sorts or reads all events", () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-plans-"));
  const db = openDatabase(join(folder, "roster.db"), 0);
  new Writer(db, defaultRecordRules).apply([
    { kind: "create", by: anonymousOrigin, idempotencyKey: undefined, attempt: { record: { name: "Ada" } } },
  ]);
  const prepare = spyOn(db, "prepare");
  const statements = new StatementCache(db);
  for (const query of eventQueries) {
    runSteps(sqliteTables.events.read(query), (sql) => statements.selectRows(sql));
    runSteps(sqliteTables.events.readLines(query), (sql) => statements.selectRows(sql));
  }
  const prepared = new Set(prepare.mock.calls.map(([text]) => text));
  expect(prepared.size).toBeGreaterThan(eventQueries.length);
  for (const text of prepared) {
    const values = Array.from(text.matchAll(/\?/g), () => 1);
    const steps = db.query<{ detail: string }, number[]>(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    const details = steps.map(({ detail }) => detail);
    const isHistory = text.includes("member_events");
    const isBySubject = !isHistory && (text.includes("e.subject_id = ?") || text.includes("subject_id = 0"));
    const [first = ""] = details;
    const isInOrder = isBySubject
      ? /^SEARCH e(vents)? USING (COVERING )?INDEX events_by_subject \(subject_type=\? AND subject_id=\?/
      : /^S(CAN e|EARCH e(vents)? USING INTEGER PRIMARY KEY \(rowid.*)/;
    expect({ text, details }).toEqual({
      text,
      details: expect.not.arrayContaining([expect.stringMatching(/TEMP/)]),
    });
    expect(first).toMatch(isInOrder);
    if (!isHistory) continue;
    const ofUser = /^SEARCH e USING (COVERING INDEX events_by_subject|PRIMARY KEY \(user_id=\?)/;
    const searches = details.filter((detail) => detail.includes(" e ") && detail !== first);
    expect({ text, searches }).toEqual({ text, searches: searches.filter((detail) => ofUser.test(detail)) });
    expect(searches).toHaveLength(2);
  }
  db.close();
  rmSync(folder, { recursive: true });
});

test("finds one value, skips the users of one value and counts them with one statement each", () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-plans-"));
  const db = openDatabase(join(folder, "roster.db"), 0);
  new Writer(db, defaultRecordRules).apply(
    Array.from({ length: 40 }, (_, i) => ({
      kind: "create" as const,
      by: anonymousOrigin,
      idempotencyKey: undefined,
      attempt: {
        record: { name: `Ada ${i}`, email: `ada${i}@example.com`, site: i % 4 === 0 ? "B" : "b", floor: 1 },
      },
    })),
  );
  const reader = new ListReader(db, userList);
  const selectRows = spyOn(StatementCache.prototype, "selectRows");
  const statements = <T>(work: () => T): { result: T; texts: string[] } => {
    selectRows.mockClear();
    const result = work();
    return { result, texts: selectRows.mock.calls.map(([{ text }]) => text.replace(/\s+/g, " ")) };
  };
  const firstNames = (query: string) => {
    const { body, next } = reader.page(userQueries.parse(query));
    return {
      names: JSON.parse(Buffer.from(body).toString()).map(({ name }: { name: string }) => name),
      next,
    };
  };

  for (const sort of ["id", "-name", "email", "site"]) {
    const query = `email=ADA7@example.com&sort=${sort}&limit=5`;
    const { result, texts } = statements(() => firstNames(query));
    expect(result).toEqual({ names: ["Ada 7"], next: undefined });
    expect(texts).toEqual(["SELECT u.id, NULL, CAST(u.json AS BLOB) FROM users u WHERE u.email_key = ?"]);
  }
  expect(firstNames("id=11").names).toEqual(["Ada 10"]);
  expect(firstNames("id=11&offset=1").names).toEqual([]);
  expect(firstNames("email=nobody@example.com").names).toEqual([]);

  for (const [query, names] of [
    ["site=b&offset=3&limit=2", ["Ada 5", "Ada 6"]],
    ["site=b&offset=3&limit=2&sort=-id", ["Ada 35", "Ada 34"]],
    ["floor=1&offset=35&limit=2", ["Ada 35", "Ada 36"]],
    [`filter=${encodeURIComponent('site eq "B"')}&offset=3&limit=2`, ["Ada 3", "Ada 4"]],
  ] as const) {
    const { result, texts } = statements(() => firstNames(query));
    expect(result.names).toEqual(names);
    // The first statement estimates the list, the second skips users inside of the index.
    expect(texts[1]).toMatch(/^SELECT d.id, NULL, NULL FROM \(SELECT .*user_values.* LIMIT 1 OFFSET \?$/);
    expect(texts).toHaveLength(3);
  }

  for (const [query, found] of [
    ["site=b", 30],
    ["floor=1", 40],
    [`filter=${encodeURIComponent('site eq "B"')}`, 40],
  ] as const) {
    const { result, texts } = statements(() => reader.countRound(userQueries.parse(query), undefined));
    expect(result).toEqual({ found, last: undefined });
    // The first statement estimates the list.
    expect(texts).toHaveLength(2);
  }
  selectRows.mockRestore();
  db.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ["version", "(version=? AND rowid>?)"],
  ["-version", "(version=? AND rowid<?)"],
  ["level", "(field=? AND (value,user_id)>(?,?) AND value<?)"],
  ["-level", "(field=? AND (value,user_id)<(?,?))"],
])("by %s, a page is read from its position on, also if all users have the same value", (sort, bounds) => {
  const folder = mkdtempSync(join(tmpdir(), "roster-plans-"));
  const db = openDatabase(join(folder, "roster.db"), 0);
  const record = { name: "Ada", level: 1 };
  new Writer(db, defaultRecordRules).apply(
    Array.from({ length: 9 }, () => ({
      kind: "create" as const,
      by: anonymousOrigin,
      idempotencyKey: undefined,
      attempt: { record },
    })),
  );
  const reader = new ListReader(db, userList);
  const query = userQueries.parse(`sort=${sort}&limit=2`);
  const { next } = reader.page(query);
  const prepare = spyOn(db, "prepare");
  // One page follows, and another one skips users.
  reader.page({ ...query, from: next });
  if (next) reader.page({ ...query, from: { ...next, skip: 2 } });
  const texts = prepare.mock.calls.map(([text]) => text).filter((text) => text.startsWith("SELECT"));
  prepare.mockRestore();
  expect(texts.length).toBeGreaterThan(1);
  for (const text of texts) {
    const values = Array.from(text.matchAll(/\?/g), () => 1);
    const steps = db.query<{ detail: string }, number[]>(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    expect(steps.map(({ detail }) => detail).join("\n")).toContain(bounds);
  }
  db.close();
  rmSync(folder, { recursive: true });
});

test("counts a value in rounds of as many ids as it needs", () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-plans-"));
  const db = openDatabase(join(folder, "roster.db"), 0);
  const record = { name: "Ada" };
  db.run("UPDATE directory SET last_id = 1499999");
  new Writer(db, defaultRecordRules).apply([
    { kind: "create", by: anonymousOrigin, idempotencyKey: undefined, attempt: { record } },
  ]);
  // A count reads only the index. Every second user is on floor 1, and every tenth is in Oslo, most of them in OSLO.
  db.run(`
    WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 2 FROM n WHERE id < 1500000)
    INSERT INTO user_values (field, value, user_id, exact)
    SELECT 'floor', '${numberKey(1)}', id, '' FROM n UNION ALL
    SELECT 'city', '${textKey("Oslo")}', id, CASE WHEN id % 10000 = 0 THEN 'Oslo' ELSE 'OSLO' END FROM n WHERE id % 10 = 0`);
  const reader = new ListReader(db, userList);
  const rounds = (query: string) => {
    const found: { found: number; last: number | undefined }[] = [];
    do found.push(reader.countRound(userQueries.parse(query), found.at(-1)?.last));
    while (found.at(-1)?.last !== undefined);
    return found;
  };
  // Two rounds find more than a count shows.
  expect(rounds("floor=1").slice(0, 2)).toEqual([
    { found: 60_000, last: 120_000 },
    { found: 60_000, last: 240_000 },
  ]);
  // The entries are rare, and too many for one statement.
  expect(rounds("city=Oslo")).toEqual([
    { found: 50, last: 500_000 },
    { found: 50, last: 1_000_000 },
    { found: 50, last: undefined },
  ]);
  expect(rounds("city=oslo")).toEqual([
    { found: 0, last: 500_000 },
    { found: 0, last: 1_000_000 },
    { found: 0, last: undefined },
  ]);
  db.close();
  rmSync(folder, { recursive: true });
});

test("a step that compares the values of a field starts after the values of the step before", () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-plans-"));
  const db = openDatabase(join(folder, "roster.db"), 0);
  const { value: sql } = sqliteTables.schema.compareValues("badge", { value: "b-1", userId: 7 }).next();
  if (!sql || !("text" in sql)) throw new Error("The step runs no statement.");
  const plan = db
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql.text.replaceAll("?", "1")}`)
    .all()
    .map(({ detail }) => detail);
  db.close();
  rmSync(folder, { recursive: true });
  expect(plan).toEqual([
    "SEARCH user_values USING PRIMARY KEY (field=? AND (value,user_id)>(?,?) AND value<?)",
  ]);
});
