import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  CSV,
  exportUsers,
  type Fields,
  importBody,
  NDJSON,
  summarize,
  toNdjson,
  toRecord,
} from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

onEachEngine((engine) => {
  let service: TestService;
  let files = 0;
  beforeAll(async () => {
    service = await startService({}, engine);
  }, 120_000);
  afterAll(() => service.stop());

  /** Imports records with these parameters. */
  const run = (query: string, records: readonly Fields[] | string, headers: Record<string, string> = {}) =>
    importBody(
      service,
      typeof records === "string" ? CSV : NDJSON,
      typeof records === "string" ? records : toNdjson(records),
      headers,
      query,
    );
  const statuses = async (query: string, records: readonly Fields[] | string) =>
    (await run(query, records)).lines.map(({ status }) => status);
  /** An email domain of its own for each test. */
  const domain = () => `@file${++files}.example`;
  const create = (record: { name: string } & Fields) => service.roster.users.create(record);
  const recordOf = async (id: number) =>
    toRecord(JSON.parse(JSON.stringify(await service.roster.users.get(id))));
  const emails = async (at: string) =>
    (await exportUsers(service))
      .map(({ email }) => String(email))
      .filter((email) => email.endsWith(at))
      .sort();

  describe("onConflict=update", () => {
    test("merges a line into the user with its email, and creates the others", async () => {
      const at = domain();
      const ada = await create({
        name: "Ada",
        email: `ada${at}`,
        level: 1,
        city: { name: "Oslo", zip: "1" },
      });
      const { status, lines } = await run("onConflict=update", [
        { email: `ADA${at}`, level: 2, city: { zip: null, country: "NO" } },
        { name: "Bob", email: `bob${at}` },
        { name: "No email" },
        { email: `new${at}` },
      ]);
      expect(status).toBe(200);
      expect(lines.map(({ line, status }) => [line, status])).toEqual([
        [1, 200],
        [2, 201],
        [3, 201],
        [4, 422],
      ]);
      expect(lines[0]).toEqual({ line: 1, status: 200, id: ada.id });
      expect(lines[3]?.problem?.errors).toEqual([{ pointer: "/name", detail: "A name is required." }]);
      expect(await service.roster.users.get(ada.id)).toMatchObject({ version: 2 });
      expect(await recordOf(ada.id)).toEqual({
        name: "Ada",
        email: `ADA${at}`,
        level: 2,
        city: { name: "Oslo", country: "NO" },
      });
    });

    test("keeps the version of a user that a line does not change", async () => {
      const at = domain();
      const { id } = await create({ name: "Same", email: `same${at}`, tags: ["a"] });
      const { lines } = await run("onConflict=update", [{ email: `same${at}`, tags: ["a"] }]);
      expect(lines).toEqual([{ line: 1, status: 200, id }]);
      expect((await service.roster.users.get(id)).version).toBe(1);
    });

    test("applies several lines with the same email in order, in one chunk and in several", async () => {
      const at = domain();
      const lines = Array.from({ length: 1200 }, (_, n) => ({
        name: "Many",
        email: `m${n % 3}${at}`,
        [`f${n % 3}`]: n,
      }));
      const { lines: results } = await run("onConflict=update", lines);
      expect(results.map(({ status }) => status)).toEqual(lines.map((_, n) => (n < 3 ? 201 : 200)));
      const [first] = await exportUsers(service, `?email=m0${at}`);
      expect(first).toMatchObject({ version: 400, f0: 1197 });
    });

    test("of a CSV leaves fields with empty cells unchanged, and needs no name column", async () => {
      const at = domain();
      const { id } = await create({ name: "Cell", email: `cell${at}`, level: 1, note: "x", gone: true });
      const table = `email,level,note,gone\ncell${at},2,,null\nother${at},1,,\n`;
      expect(await statuses("onConflict=update", table)).toEqual([200, 422]);
      expect(await recordOf(id)).toEqual({ name: "Cell", email: `cell${at}`, level: 2, note: "x" });
    });

    test("rejects lines that would make a user invalid, and leaves the user unchanged", async () => {
      const at = domain();
      const { id } = await create({ name: "Limits", email: `limits${at}`, x: "x".repeat(10_000) });
      const { lines } = await run("onConflict=update", [
        { email: `limits${at}`, y: "y".repeat(10_000) },
        { email: `limits${at}`, name: null },
        { email: `limits${at}`, password: "x" },
      ]);
      expect(lines.map(({ problem }) => problem?.type)).toEqual(Array(3).fill("/problems/invalid-user"));
      expect((await service.roster.users.get(id)).version).toBe(1);
    });
  });

  test("onConflict=skip leaves existing users unchanged, and returns their ids", async () => {
    const at = domain();
    const { id } = await create({ name: "Kept", email: `kept${at}` });
    const { lines } = await run("onConflict=skip", [
      { name: "Other", email: `KEPT${at}` },
      { name: "New", email: `new${at}` },
      { name: "Again", email: `new${at}` },
      { name: "", email: `kept${at}` },
    ]);
    expect(lines.map(({ status }) => status)).toEqual([200, 201, 200, 422]);
    expect([lines[0]?.id, lines[2]?.id]).toEqual([id, lines[1]?.id]);
    expect(await recordOf(id)).toEqual({ name: "Kept", email: `kept${at}` });
  });

  describe("match=id", () => {
    test("finds users by the id of a line, and creates a user for a line without one", async () => {
      const at = domain();
      const one = await create({ name: "One", email: `one${at}` });
      const two = await create({ name: "Two", email: `two${at}` });
      const { lines } = await run("match=id&onConflict=update", [
        { id: one.id, email: `changed${at}` },
        { id: two.id, email: null },
        { name: "Three", email: `one${at}` },
        { id: 999_999_999, name: "Nobody" },
        { id: "x", name: "Bad" },
        { id: two.id, email: `changed${at}` },
      ]);
      expect(lines.map(({ status }) => status)).toEqual([200, 200, 201, 404, 422, 409]);
      expect(lines[3]?.problem?.detail).toBe("There is no user 999999999.");
      expect(lines[4]?.problem?.errors).toEqual([
        { pointer: "/id", detail: "The id must be a positive integer." },
      ]);
      expect(await emails(at)).toEqual([`changed${at}`, `one${at}`]);
    });

    test("with skip and fail leaves users with the id unchanged", async () => {
      const { id } = await create({ name: "Untouched" });
      const records = [{ id, name: "Changed" }, { name: "Created" }, { id: 999_999_999, name: "Nobody" }];
      expect(await statuses("match=id&onConflict=skip", records)).toEqual([200, 201, 404]);
      const { lines } = await run("match=id", records);
      expect(lines.map(({ status }) => status)).toEqual([409, 201, 404]);
      expect(lines[0]?.problem).toMatchObject({
        type: "/problems/value-taken",
        errors: [{ pointer: "/id", detail: `${id} is already in use.` }],
      });
      expect(await recordOf(id)).toEqual({ name: "Untouched" });
    });

    test("of a CSV reads the id column", async () => {
      const { id } = await create({ name: "Row", level: 1 });
      expect(await statuses("match=id&onConflict=update", `id,level\n${id},7\n`)).toEqual([200]);
      expect(await recordOf(id)).toEqual({ name: "Row", level: 7 });
      // The columns of an export that only the service writes do not matter.
      const table = await (await service.call(`/api/users/export?format=csv&id=${id}`)).text();
      expect(await statuses("match=id&onConflict=update", table)).toEqual([200]);
      expect((await service.roster.users.get(id)).version).toBe(2);
    });
  });

  test("an exported file imports with match=id and changes nothing", async () => {
    const before = await exportUsers(service);
    const { lines } = await run("match=id&onConflict=update", before);
    expect(lines.map(({ id }) => id)).toEqual(before.map(({ id }) => Number(id)));
    expect(await exportUsers(service)).toEqual(before);
  });

  describe("dryRun=true", () => {
    test("reports the outcomes of the import, and changes nothing", async () => {
      const at = domain();
      const old = await create({ name: "Old", email: `old${at}` });
      const second = await create({ name: "Second", email: `second${at}` });
      const filler = Array.from({ length: 600 }, (_, n) => ({ name: `Filler ${n}`, email: `f${n}${at}` }));
      const records = [
        { name: "New", email: `new${at}` },
        { name: "New again", email: `NEW${at}` },
        { name: "Old again", email: `old${at}` },
        { name: "" },
        ...filler,
        { name: "Later", email: `new${at}` },
        { name: "Later", email: `f3${at}`, level: 2 },
        { name: "Anonymous" },
      ];
      for (const onConflict of ["fail", "skip", "update"]) {
        const before = await exportUsers(service);
        const query = `onConflict=${onConflict}`;
        const dry = await run(`${query}&dryRun=true`, records);
        expect(await exportUsers(service)).toEqual(before);
        const wet = await run(query, records);
        const created = wet.lines.filter(({ status }) => status === 201);
        // A dry run does not know the ids of new users.
        const known = new Set([old.id, second.id]);
        expect(dry.lines.map(({ problem: _, ...line }) => line)).toEqual(
          wet.lines.map(({ line, status, id }) => ({
            line,
            status,
            ...(id !== undefined && known.has(id) && { id }),
          })),
        );
        expect(dry.lines.map(({ problem }) => problem?.errors)).toEqual(
          wet.lines.map(({ problem }) => problem?.errors),
        );
        await Promise.all(created.map(({ id }) => service.roster.users.delete(id ?? 0)));
      }
    });

    test("follows emails that earlier lines move from one user to another, in one chunk and in several", async () => {
      for (const gap of [0, 700]) {
        const at = domain();
        const one = await create({ name: "One", email: `one${at}` });
        const two = await create({ name: "Two", email: `two${at}` });
        const filler = Array.from({ length: gap }, (_, n) => ({ name: `Filler ${n}` }));
        const records = [
          { id: one.id, email: `moved${at}` },
          ...filler,
          { id: two.id, email: `one${at}` },
          ...filler,
          { id: one.id, email: `one${at}` },
          { name: "Free", email: `two${at}` },
          { name: "Taken", email: `moved${at}` },
        ];
        const query = "match=id&onConflict=update";
        const dry = await statuses(`${query}&dryRun=true`, records);
        expect(dry.filter((status) => status !== 201)).toEqual([200, 200, 409, 409]);
        expect(await statuses(query, records)).toEqual(dry);
      }
    });

    test("does not use up an Idempotency-Key", async () => {
      const key = { "idempotency-key": `dry ${engine}` };
      const records = [{ name: "Keyed" }];
      expect((await run("dryRun=true", records, key)).lines).toEqual([{ line: 1, status: 201 }]);
      expect((await run("dryRun=true", [{ name: "Else" }], key)).status).toBe(200);
      expect((await run("", records, key)).lines[0]?.id).toBeNumber();
    });
  });

  test("with an Idempotency-Key, a repeated import has the same results, and other options are 422", async () => {
    const at = domain();
    const { id } = await create({ name: "Old", email: `old${at}` });
    const records = [
      { name: "New", email: `new${at}` },
      { email: `old${at}`, level: 2 },
      { email: `none${at}` },
      { name: "Newer", email: `newer${at}` },
      { email: `new${at}`, level: 3 },
    ];
    const key = { "idempotency-key": `options ${engine}` };
    const first = await run("onConflict=update", records, key);
    expect(first.lines.map(({ status }) => status)).toEqual([201, 200, 422, 201, 200]);
    await service.roster.users.update(id, { level: 9 });
    const again = await run("onConflict=update", records, key);
    expect(summarize(again)).toEqual(summarize(first));
    expect(again.lines.map(({ status }) => status)).toEqual(first.lines.map(({ status }) => status));
    expect(await service.roster.users.get(id)).toMatchObject({ level: 9, version: 3 });
    for (const query of ["", "onConflict=skip", "onConflict=update&match=id"]) {
      expect(await run(query, records, key)).toMatchObject({ status: 422, type: "idempotency-mismatch" });
    }
  });

  test("concurrent imports of the same emails create each user once, and lose no update", async () => {
    const at = domain();
    const imports = Array.from({ length: 6 }, (_, file) =>
      run(
        "onConflict=update",
        Array.from({ length: 300 }, (_, n) => ({
          name: `Shared ${n}`,
          email: `s${(n * 7 + file * 50) % 300}${at}`,
          [`file${file}`]: n,
        })),
      ),
    );
    const changes = Array.from({ length: 60 }, async (_, n) => {
      const user = await service.roster.users.find({ email: `s${n}${at}` });
      if (user) await service.roster.users.update(user.id, { changed: true });
    });
    const results = await Promise.all(imports);
    await Promise.all(changes);
    const lines = results.flatMap(({ lines }) => lines);
    expect(lines.filter(({ status }) => status === 201)).toHaveLength(300);
    expect(lines.filter(({ status }) => status === 200)).toHaveLength(1500);
    const users = (await exportUsers(service)).filter(({ email }) => String(email).endsWith(at));
    expect(users).toHaveLength(300);
    for (const user of users) {
      for (let file = 0; file < 6; file++) expect(user[`file${file}`]).toBeNumber();
    }
  });

  test.each([
    ["onConflict=replace", "onConflict", "Enter fail or skip or update."],
    ["match=badge", "match", "Enter email, userName, id or a field that is unique in the schema."],
    ["dryRun=yes", "dryRun", "Enter true or false."],
    ["dryRun=true&dryRun=true", "dryRun", "Send this parameter once."],
  ])("?%s is 400", async (query, parameter, detail) => {
    const { status, detail: text = "" } = await run(query, [{ name: "Nobody" }]);
    expect([status, text]).toEqual([400, `${parameter}: ${detail}`]);
  });
});
