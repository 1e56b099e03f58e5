import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Scope } from "../../../src/contract/keys/key.ts";
import {
  CSV,
  exportText,
  exportUsers,
  type Fields,
  NDJSON,
  postImport,
  summarize,
  toNdjson,
} from "../../support/bulk-requests.ts";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { KeyAdmin } from "../access/support/key-admin.ts";

setDefaultTimeout(120_000);

const PATH = "/api/groups/import";

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());

  const send = (
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    query = "",
    headers: Record<string, string> = {},
  ) => postImport(service, `${PATH}?${query}`, { body, headers: { "content-type": type, ...headers } });
  /** Imports lines, or CSV. */
  const run = (query: string, lines: readonly Fields[] | string, headers: Record<string, string> = {}) =>
    typeof lines === "string"
      ? send(CSV, lines, query, headers)
      : send(NDJSON, toNdjson(lines), query, headers);
  const exported = (query = "") => exportUsers(service, query, "groups");
  const groupOf = async (id: number | undefined): Promise<Fields> => {
    const response = await service.call(`/api/groups/${id}`);
    if (response.status !== 200) throw new Error(`GET of group ${id}: ${response.status}`);
    return response.json();
  };
  const create = async (record: Fields): Promise<number> => {
    const response = await service.call("/api/groups", { method: "POST", json: record });
    const { id }: { id: number } = await response.json();
    return id;
  };
  const count = async () =>
    Number((await service.call("/api/groups?limit=1&count=true")).headers.get("x-total-count"));

  describe("an import of groups", () => {
    test("creates a group for each line, in order, with its event", async () => {
      const { status, lines } = await run("", [{ name: "One", x: [1, { y: null }] }, { name: " Two " }]);
      expect([status, lines.map((each) => each.status)]).toEqual([200, [201, 201]]);
      const [one, two] = lines.map(({ id }) => id);
      expect(await groupOf(one)).toMatchObject({
        name: "One",
        x: [1, { y: null }],
        memberCount: 0,
        version: 1,
      });
      expect(await groupOf(two)).toMatchObject({ name: "Two" });
      const events = await service.call(`/api/events?subject=group:${one}`);
      expect(await events.json()).toMatchObject([{ type: "group.created", record: { name: "One" } }]);
    });

    test("a bad line does not affect the others, and has the same problem as a single create", async () => {
      await create({ name: "Café" });
      const bad: [line: string | Uint8Array, type: string, status: number][] = [
        ['{"name":', "malformed-json", 400],
        [Buffer.from('{"name":"Zoë"}', "latin1"), "malformed-json", 400],
        ["[]", "invalid-group", 422],
        ['{"region":"north"}', "invalid-group", 422],
        ['{"name":""}', "invalid-group", 422],
        ['{"name":null}', "invalid-group", 422],
        [`{"name":"${"x".repeat(257)}"}`, "invalid-group", 422],
        ['{"name":"a","members":[1]}', "invalid-group", 422],
        ['{"name":"a","rule":"x pr"}', "invalid-group", 422],
        ['{"name":"a","groups":[]}', "invalid-group", 422],
        ['{"name":"a","password":"x"}', "invalid-group", 422],
        ['{"name":"a","__proto__":1}', "invalid-group", 422],
        ['{"name":"a","x":"\\ud800"}', "invalid-group", 422],
        [`{"name":"a","x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, "invalid-group", 422],
        [`{"name":"a","x":"${"x".repeat(17_000)}"}`, "invalid-group", 422],
        [`{"name":"a","x":"${"x".repeat(65_537)}"}`, "too-large", 413],
        ['{"name":"CAFE\\u0301"}', "value-taken", 409],
      ];
      const before = await count();
      const body = bad.flatMap(([line], index) => [
        Buffer.from(line),
        Buffer.from(`\n{"name":"Good ${index}"}\n`),
      ]);
      const { status, lines } = await send(NDJSON, Buffer.concat(body));
      expect(status).toBe(200);
      expect(lines).toHaveLength(2 * bad.length);
      bad.forEach(([, type, expected], index) => {
        const { status: found, problem, id } = lines[2 * index] ?? {};
        expect([index, found, problem?.type, id]).toEqual([index, expected, `/problems/${type}`, undefined]);
        expect(problem).toMatchObject({ status: expected, instance: PATH, requestId: expect.any(String) });
        expect(lines[2 * index + 1]?.status).toBe(201);
      });
      expect(lines[32]?.problem?.errors).toEqual([
        { pointer: "/name", detail: 'Another group has the name "CAFE\u0301".' },
      ]);
      expect(await count()).toBe(before + bad.length);
    });

    test("ignores what only the service writes, such as ids and numbers of members", async () => {
      const line = {
        id: 1,
        memberCount: 7,
        version: 9,
        createdAt: "2001-01-01T00:00:00.000Z",
        updatedAt: "x",
      };
      const { lines } = await run("", [{ ...line, name: "Managed" }]);
      const group = await groupOf(lines[0]?.id);
      expect(group).toMatchObject({ name: "Managed", memberCount: 0, version: 1 });
      expect(group.createdAt).not.toBe(line.createdAt);
    });

    test("onConflict decides about names that exist, in the same chunk or a later one", async () => {
      const filler = Array.from({ length: 600 }, (_, index) => ({ name: `Filler ${index}` }));
      const id = await create({ name: "Straße", level: 1, city: { name: "Oslo", zip: "1" } });
      const again = { name: "STRAßE", level: 2, city: { zip: null } };
      const failed = await run("", [again, ...filler, again]);
      expect(summarize(failed)).toMatchObject({ 1: "value-taken", 602: "value-taken" });
      const skipped = await run("onConflict=skip", [again, filler[0] ?? {}]);
      expect(skipped.lines.map((line) => line.status)).toEqual([200, 200]);
      expect(await groupOf(id)).toMatchObject({ name: "Straße", level: 1, version: 1 });
      const updated = await run("onConflict=update", [again, { name: "STRASSE" }, ...filler, again]);
      expect([updated.lines[0], updated.lines[1]?.status, updated.lines.at(-1)]).toEqual([
        { line: 1, status: 200, id },
        201,
        { line: 603, status: 200, id },
      ]);
      expect(await groupOf(id)).toMatchObject({
        name: "STRAßE",
        level: 2,
        city: { name: "Oslo" },
        version: 2,
      });
    });

    test("match=id finds groups by their ids, and keeps names unique", async () => {
      const [one, two] = [await create({ name: "By id 1" }), await create({ name: "By id 2" })];
      const lines = [
        { id: one, name: "By id 3" },
        { id: two, name: "BY ID 3" },
        { id: two, name: "By id 1" },
        { name: "By id 4" },
        { id: 999_999_999, name: "Nobody" },
        { id: null, name: "By id 5" },
        ...["7", -1, 1.5, 2 ** 53, true].map((id) => ({ id, name: "Bad id" })),
      ];
      const query = "match=id&onConflict=update";
      const dry = await run(`${query}&dryRun=true`, lines);
      const { lines: results } = await run(query, lines);
      const statuses = [200, 409, 200, 201, 404, 201, 422, 422, 422, 422, 422];
      expect(results.map(({ status }) => status)).toEqual(statuses);
      expect(dry.lines.map(({ status }) => status)).toEqual(statuses);
      expect(results[4]?.problem).toMatchObject({
        type: "/problems/group-not-found",
        detail: "There is no group 999999999.",
      });
      expect(results[6]?.problem?.errors).toEqual([
        { pointer: "/id", detail: "The id must be a positive integer." },
      ]);
      expect([(await groupOf(one)).name, (await groupOf(two)).name]).toEqual(["By id 3", "By id 1"]);
      const taken = await run("match=id", [{ id: one, name: "Other" }]);
      expect(taken.lines[0]?.problem?.errors).toEqual([
        { pointer: "/id", detail: `${one} is already in use.` },
      ]);
      expect(summarize(await run("match=id&onConflict=skip", [{ id: one, name: "Other" }]))).toEqual({
        1: one,
      });
      expect((await groupOf(one)).name).toBe("By id 3");
    });

    test("of CSV creates and changes groups, and skips columns that only the service writes", async () => {
      const id = await create({ name: "Table", level: 1 });
      const table = `\ufeffName;level;memberCount;version\r\nTABLE;2;99;99\r\n"Row ""2""";007;;\r\n=1+1;;;\r\n;1;;\r\n`;
      const { lines } = await run("onConflict=update", table);
      expect(lines.map(({ line, status }) => [line, status])).toEqual([
        [2, 200],
        [3, 201],
        [4, 201],
        [5, 422],
      ]);
      expect(await groupOf(id)).toMatchObject({ name: "TABLE", level: 2, memberCount: 0, version: 2 });
      expect(await groupOf(lines[1]?.id)).toMatchObject({ name: 'Row "2"', level: "007" });
      expect(summarize(await run("match=id&onConflict=update", `id,level\n${id},3\n`))).toEqual({ 2: id });
    });

    test.each([
      ["an empty body", "", 400, "malformed-json"],
      ["no name column", "region\nnorth\n", 422, "invalid-group"],
      ["two columns of a name", "name,x,x\nA,1,2\n", 422, "invalid-group"],
      ["two name columns", "name,name\nA,B\n", 422, "invalid-group"],
      ["a column of members", "name,members\nA,1\n", 422, "invalid-group"],
      ["a column of groups", "name,groups\nA,1\n", 422, "invalid-group"],
      ["an unclosed quote", '"name\nA\n', 400, "malformed-json"],
      ["a header row over the limit", `name,${"x,".repeat(40_000)}\n`, 413, "too-large"],
    ])("of CSV with %s is rejected as a whole", async (_, body, status, type) => {
      const before = await count();
      expect(await run("", body)).toMatchObject({ status, type });
      expect(await count()).toBe(before);
    });

    test("with an Idempotency-Key runs once, and the key is not that of an import of users", async () => {
      const id = await create({ name: "Key old" });
      const lines = [
        { name: "Key new" },
        { name: "key OLD", level: 2 },
        { x: 1 },
        { name: "key new", level: 3 },
      ];
      const key = { "idempotency-key": `groups ${engine}` };
      const first = await run("onConflict=update", lines, key);
      expect(first.lines.map(({ status }) => status)).toEqual([201, 200, 422, 200]);
      expect(summarize(await run("onConflict=update", lines, key))).toEqual(summarize(first));
      expect(await groupOf(id)).toMatchObject({ level: 2, version: 2 });
      for (const query of ["", "onConflict=update&match=id"]) {
        expect(await run(query, lines, key)).toMatchObject({ status: 422, type: "idempotency-mismatch" });
      }
      const names = [{ name: "Both kinds" }];
      const other = { "idempotency-key": `both ${engine}` };
      const request = { body: toNdjson(names), headers: { "content-type": NDJSON, ...other } };
      expect((await postImport(service, "/api/users/import", request)).status).toBe(200);
      expect(await run("", names, other)).toMatchObject({ status: 422, type: "idempotency-mismatch" });
      expect(await run("", names, { "idempotency-key": "é" })).toMatchObject({
        status: 400,
        type: "invalid-header",
      });
    });

    test("dryRun=true changes nothing, and tells the results of names that move between lines", async () => {
      const [one, two] = [await create({ name: "Moving 1" }), await create({ name: "Moving 2" })];
      const filler = Array.from({ length: 700 }, (_, n) => ({ name: `Moving filler ${n}` }));
      const lines = [
        { id: one, name: "Moved" },
        ...filler,
        { id: two, name: "moving 1" },
        { id: one, name: "Moving 1" },
        { name: "MOVING 2" },
        { name: "moved" },
        { name: "moving FILLER 3" },
      ];
      const before = await exported();
      const query = "match=id&onConflict=update";
      const dry = await run(`${query}&dryRun=true`, lines);
      expect(await exported()).toEqual(before);
      expect(
        dry.lines.filter(({ status }) => status !== 201).map(({ line, status }) => [line, status]),
      ).toEqual([
        [1, 200],
        [702, 200],
        [703, 409],
        [705, 409],
        [706, 409],
      ]);
      const done = await run(query, lines);
      expect(dry.lines.map(({ line, status }) => [line, status])).toEqual(
        done.lines.map(({ line, status }) => [line, status]),
      );
    });

    test.each([
      ["onConflict=replace", "onConflict"],
      ["match=email", "match"],
      ["match=badge", "match"],
      ["dryRun=yes", "dryRun"],
      ["format=json", "format"],
      ["remove=true", "remove"],
    ])("?%s is 400", async (query, parameter) => {
      const { status, detail = "" } = await run(query, [{ name: "Nobody" }]);
      expect([status, detail.split(":")[0]]).toEqual([400, parameter]);
    });

    test("takes NDJSON and CSV only, as single creates take only JSON", async () => {
      const post = (path: string, type: string) =>
        service.call(path, { method: "POST", body: "{}", headers: { "content-type": type } });
      const response = await post(PATH, "application/json");
      expect([response.status, response.headers.get("accept-post")]).toEqual([
        415,
        "application/x-ndjson, text/csv",
      ]);
      const elsewhere = await post("/api/groups", NDJSON);
      expect(elsewhere.status).toBe(415);
      expect((await elsewhere.json()).detail).toContain("POST /api/groups/import");
      expect((await send("text/plain", "name\nFormatted\n", "format=csv")).lines[0]?.status).toBe(201);
    });
  });

  describe("an export of groups", () => {
    test("has every group that matches, as NDJSON and CSV, with the header Roster-Event", async () => {
      await run("", [
        { name: "Export B", set: "x", note: '=1+1, "a"' },
        { name: "Export A", set: "x", lead: { name: "Ada" } },
        { name: "Export C", set: "y" },
      ]);
      const response = await service.call("/api/groups/export?set=x&sort=name");
      expect(response.headers.get("content-type")).toStartWith(NDJSON);
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="groups.ndjson"');
      expect(response.headers.get("roster-event")).not.toBe(null);
      const [a, b] = (await response.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect([a.name, b.name]).toEqual(["Export A", "Export B"]);
      const csv = await service.call("/api/groups/export?set=x&sort=name&format=csv");
      expect(csv.headers.get("content-disposition")).toBe('attachment; filename="groups.csv"');
      expect(await csv.text()).toBe(
        [
          "id,name,set,lead,note,memberCount,version,createdAt,updatedAt",
          `${a.id},Export A,x,"{""name"":""Ada""}",,0,1,${a.createdAt},${a.updatedAt}`,
          `${b.id},Export B,x,,"'=1+1, ""a""",0,1,${b.createdAt},${b.updatedAt}`,
          "",
        ].join("\r\n"),
      );
      expect(await exportText(service, CSV, "?set=x&sort=-name&fields=name,lead.name", "groups")).toBe(
        `id,name,lead.name,version\r\n${b.id},Export B,,1\r\n${a.id},Export A,Ada,1\r\n`,
      );
      expect(
        await exportUsers(service, '?filter=set eq "x" and memberCount eq 0&q=export', "groups"),
      ).toHaveLength(2);
    });

    test("imports again without a change, by name and by id, and in another service with the same fields", async () => {
      const before = await exported();
      const table = await exportText(service, CSV, "", "groups");
      for (const match of ["name", "id"]) {
        for (const body of [before, table]) {
          const { lines } = await run(`onConflict=update&match=${match}`, body);
          expect(lines.map(({ id }) => id)).toEqual(before.map(({ id }) => Number(id)));
        }
      }
      expect(await exported()).toEqual(before);
      const copy = await startService({}, engine);
      const headers = { "content-type": CSV };
      const { lines } = await postImport(copy, PATH, { body: table, headers });
      expect(lines.every(({ status }) => status === 201)).toBe(true);
      const fieldsOf = ({ id: _id, version: _v, createdAt: _c, updatedAt: _u, ...fields }: Fields) => fields;
      // An empty cell and a field with null are the same in CSV.
      expect((await exportUsers(copy, "", "groups")).map(fieldsOf)).toEqual(before.map(fieldsOf));
      await copy.stop();
    });

    test.each(["limit=5", "after=x", "offset=1", "count=true", "sort=+", "format=json", "filter=level"])(
      "?%s is 400",
      async (query) => {
        const response = await service.call(`/api/groups/export?${query}`);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ type: "/problems/invalid-query" });
      },
    );
  });

  describe("with keys", () => {
    const admin = new KeyAdmin(engine);
    const call = async (granted: Scope[], path: string, lines?: readonly Fields[]) => {
      const { key } = await admin.createKey({ name: "Key", scopes: granted });
      return admin.call(path, {
        headers: { ...bearer(key), ...(lines && { "content-type": NDJSON }) },
        ...(lines && { method: "POST", body: toNdjson(lines) }),
      });
    };

    test("an import needs groups:write, and an export groups:read", async () => {
      expect((await call(["users:write", "groups:read"], PATH, [{ name: "No" }])).status).toBe(403);
      expect((await call(["groups:write", "users:read"], "/api/groups/export")).status).toBe(403);
      expect((await call(["groups:read"], "/api/groups/export")).status).toBe(200);
    });

    test("without groups:read, an import tells no ids of existing groups, and no dry run of updates", async () => {
      const lines = [{ name: "Keyed" }, { name: "KEYED" }];
      const created = await (await call(["groups:write"], `${PATH}?onConflict=skip`, lines)).text();
      const [first, second] = created
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect([first, second]).toEqual([
        { line: 1, status: 201, id: expect.any(Number) },
        { line: 2, status: 200 },
      ]);
      const dry = `${PATH}?dryRun=true&onConflict=update`;
      expect((await call(["groups:write"], dry, lines)).status).toBe(403);
      const told = await (await call(["groups:write", "groups:read"], dry, lines)).text();
      expect(JSON.parse(told.split("\n")[0] ?? "")).toEqual({ line: 1, status: 200, id: first.id });
    });
  });
});
