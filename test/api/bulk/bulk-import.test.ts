import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  CSV,
  exportUsers,
  importBody,
  NDJSON,
  SlowImport,
  summarize,
  toNdjson,
  toRecord,
} from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  }, 120_000);
  afterAll(() => service.stop());

  const ndjson = (body: string | Uint8Array<ArrayBuffer>) => importBody(service, NDJSON, body);
  const csv = (body: string | Uint8Array<ArrayBuffer>) => importBody(service, CSV, body);
  const count = async () =>
    Number((await service.call("/api/users?limit=1&count=true")).headers.get("x-total-count"));
  const found = async (query: string) => (await exportUsers(service, query)).map(toRecord);

  describe("an import of NDJSON", () => {
    test("creates a user for each line, in order, and returns its id", async () => {
      const { status, lines } = await ndjson(
        toNdjson([{ name: "One", x: [1, { y: null }] }, { name: " Two " }]),
      );
      expect(status).toBe(200);
      expect(lines.map(({ line, status }) => [line, status])).toEqual([
        [1, 201],
        [2, 201],
      ]);
      const ids = lines.map(({ id }) => id ?? 0);
      expect(ids[1]).toBeGreaterThan(ids[0] ?? 0);
      expect(await service.roster.users.get(ids[0] ?? 0)).toMatchObject({
        name: "One",
        x: [1, { y: null }],
        version: 1,
      });
      expect(await service.roster.users.get(ids[1] ?? 0)).toMatchObject({ name: "Two" });
    });

    test("a bad line does not affect the others, and has the same problem as a single create", async () => {
      await service.roster.users.create({ name: "First", email: "first@example.com" });
      const bad: [line: string | Uint8Array, type: string, status: number][] = [
        ['{"name":', "malformed-json", 400],
        ["nonsense", "malformed-json", 400],
        ['{"name":"a"} {"name":"b"}', "malformed-json", 400],
        [Buffer.from('{"name":"Zoë"}', "latin1"), "malformed-json", 400],
        ["[]", "invalid-user", 422],
        ["17", "invalid-user", 422],
        ['{"email":"x"}', "invalid-user", 422],
        ['{"name":"a","password":"x"}', "invalid-user", 422],
        ['{"name":"a","__proto__":1}', "invalid-user", 422],
        ['{"name":"a","x":"\\u0000"}', "invalid-user", 422],
        ['{"name":"a","x":"\\ud800"}', "invalid-user", 422],
        ['{"name":"a","x":1e400}', "invalid-user", 422],
        [`{"name":"a","x":${"[".repeat(100)}${"]".repeat(100)}}`, "invalid-user", 422],
        [`{"name":"a","x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, "invalid-user", 422],
        [`{"name":"a","x":"${"x".repeat(17_000)}"}`, "invalid-user", 422],
        [`{"name":"a","x":"${"x".repeat(70_000)}"}`, "too-large", 413],
        ['{"name":"a","email":"FIRST@Example.com"}', "email-taken", 409],
      ];
      const before = await count();
      const body = bad.flatMap(([line], index) => [
        Buffer.from(line),
        Buffer.from(`\n{"name":"Good ${index}"}\n`),
      ]);
      const { status, lines } = await ndjson(Buffer.concat(body));
      expect(status).toBe(200);
      expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
      expect(lines).toHaveLength(2 * bad.length);
      bad.forEach(([, type, expected], index) => {
        const line = lines[2 * index];
        expect([index, line?.status, line?.problem?.type]).toEqual([index, expected, `/problems/${type}`]);
        expect(line?.problem).toMatchObject({
          status: expected,
          instance: "/api/users/import",
          requestId: expect.any(String),
        });
        expect(line?.id).toBeUndefined();
        expect(lines[2 * index + 1]?.status).toBe(201);
      });
      expect(lines[12]?.problem?.errors).toEqual([
        { pointer: "/name", detail: expect.any(String) },
        { pointer: "/email", detail: expect.any(String) },
      ]);
      expect(await count()).toBe(before + bad.length);
    });

    test("of two lines with the same email, creates the first, in the same chunk or a later one", async () => {
      const filler = Array.from({ length: 600 }, (_, index) => ({ name: `Filler ${index}` }));
      const first = { name: "Twice", email: "twice@example.com" };
      const duplicate = { name: "Again", email: "TWICE@example.com" };
      const { lines } = await ndjson(toNdjson([first, duplicate, ...filler, duplicate]));
      expect(lines.map(({ status }) => status).filter((status) => status !== 201)).toEqual([409, 409]);
      expect([lines[1]?.problem?.type, lines.at(-1)?.line]).toEqual(["/problems/email-taken", 603]);
      expect(await found("?email=twice@example.com")).toEqual([first]);
    });

    test("ignores ids, versions and times in the lines", async () => {
      const line = {
        id: 1,
        version: 9,
        createdAt: "2001-01-01T00:00:00.000Z",
        updatedAt: "x",
        name: "Managed",
      };
      const { lines } = await ndjson(toNdjson([line, line]));
      const [first, second] = await exportUsers(service, "?name=managed");
      expect([first?.id, second?.id]).toEqual(lines.map(({ id }) => id ?? 0));
      expect(first).toMatchObject({ version: 1 });
      expect(String(first?.createdAt)).toStartWith("20");
      expect(first?.createdAt).not.toBe(line.createdAt);
    });

    test("creates no user for an empty body, and returns an empty response", async () => {
      for (const body of ["", "\n", "\r\n  \n"]) {
        expect(await ndjson(body)).toMatchObject({ status: 200, lines: [] });
      }
    });

    test("sends outcomes while the body is still being sent", async () => {
      const slow = await SlowImport.open(service.url, NDJSON);
      const part = (from: number) =>
        toNdjson(Array.from({ length: 700 }, (_, i) => ({ name: `Live ${from + i}` })));
      slow.send(part(0));
      slow.send(part(700));
      await slow.waitUntil(() => slow.lines.length >= 500);
      expect(slow.lines.every(({ status }) => status === 201)).toBe(true);
      slow.send(part(1400));
      slow.end();
      await slow.waitUntil(() => slow.lines.length === 2100);
      expect(slow.lines.map(({ line }) => line)).toEqual(
        Array.from({ length: 2100 }, (_, index) => index + 1),
      );
      slow.disconnect();
    });
  });

  describe("an import of CSV", () => {
    test("creates a user for each row, and numbers outcomes by the row's first line", async () => {
      const body =
        '\ufeffname;email;level;note\r\nC1;c1@example.com;3;"a\r\nb"\r\n\r\nC2;;"[1]";=no\r\nC3;nonsense;;\r\n;;;\r\n';
      const { status, lines } = await csv(body);
      expect(status).toBe(200);
      expect(lines.map(({ line, status }) => [line, status])).toEqual([
        [2, 201],
        [5, 201],
        [6, 422],
        [7, 422],
      ]);
      expect(await found("?name=c1&name=c2")).toEqual([
        { name: "C1", email: "c1@example.com", level: 3, note: "a\r\nb" },
        { name: "C2", level: [1], note: "=no" },
      ]);
    });

    test.each([
      ["an empty body", "", 400, "malformed-json"],
      ["no name column", "email\nx@example.com\n", 422, "invalid-user"],
      ["a duplicate column", "name,x,x\nA,1,2\n", 422, "invalid-user"],
      ["invalid UTF-8", Buffer.from("name\nJos\xe9\n", "latin1"), 400, "malformed-json"],
      ["an unclosed quote", 'name\nBefore\n"A\n', 400, "malformed-json"],
      ["a header row over the limit", `name,${"x,".repeat(40_000)}\n`, 413, "too-large"],
    ])("with %s is rejected as a whole, and creates no user", async (_, body, status, type) => {
      const before = await count();
      expect(await csv(typeof body === "string" ? body : new Uint8Array(body))).toMatchObject({
        status,
        type,
      });
      expect(await count()).toBe(before);
    });

    test("with a syntax error after some rows reports the error, and what was imported, in its last line", async () => {
      const before = await count();
      const rows = Array.from({ length: 1200 }, (_, index) => `Row ${index}\n`).join("");
      const { status, lines } = await csv(`name\n${rows}"open\n${rows}`);
      expect(status).toBe(200);
      expect(lines.slice(0, -1).map(({ line, status }) => [line, status])).toEqual(
        Array.from({ length: 1000 }, (_, index) => [index + 2, 201]),
      );
      expect(lines.at(-1)).toMatchObject({
        line: 1002,
        status: 400,
        problem: { type: "/problems/malformed-json" },
      });
      expect(lines.at(-1)?.problem?.detail).toContain("line 1202");
      expect(lines.at(-1)?.problem?.detail).toContain("No row from line 1002 on was imported.");
      expect(await count()).toBe(before + 1000);
    });

    test("creates no user for a header row without rows", async () => {
      expect(await csv("name,email\r\n")).toMatchObject({ status: 200, lines: [] });
    });
  });

  test("concurrent imports and single creates get unique ids and correct outcomes", async () => {
    const before = await count();
    const importing = Array.from({ length: 8 }, (_, file) =>
      ndjson(
        toNdjson(
          Array.from({ length: 700 }, (_, line) => ({
            name: `Side ${file}`,
            line,
            email: `s${(line * 8 + file) % 2800}@side.example`,
          })),
        ),
      ),
    );
    const creating = Array.from({ length: 50 }, (_, index) =>
      service.roster.users.create({ name: `Alone ${index}` }),
    );
    const imports = await Promise.all(importing);
    await Promise.all(creating);
    const created = imports.flatMap(({ lines }) => lines.filter(({ status }) => status === 201));
    expect(created).toHaveLength(2800);
    expect(new Set(created.map(({ id }) => id)).size).toBe(2800);
    expect(imports.flatMap(({ lines }) => lines.filter(({ status }) => status === 409))).toHaveLength(2800);
    expect(await count()).toBe(before + 2850);
    const users = new Map((await exportUsers(service, "?name=side 3")).map((user) => [user.id, user]));
    for (const { line, id } of imports[3]?.lines ?? []) if (id) expect(users.get(id)?.line).toBe(line - 1);
  });

  const post = (path: string, body: string, type?: string) =>
    service.call(path, {
      method: "POST",
      body: Buffer.from(body),
      ...(type !== undefined && { headers: { "content-type": type } }),
    });

  test("application/ndjson and application/jsonl are other names of application/x-ndjson", async () => {
    for (const type of ["application/ndjson", "application/jsonl; charset=utf-8", "Application/NDJSON"]) {
      expect((await importBody(service, type, '{"name":"Alias"}\n')).lines).toHaveLength(1);
    }
  });

  test("any other content type is 415, with Accept-Post", async () => {
    for (const type of [
      "application/json",
      "text/plain",
      "text/csv; charset=latin1",
      "application/x-ndjson; charset=utf-16",
    ]) {
      const response = await post("/api/users/import", "", type);
      expect([type, response.status]).toEqual([type, 415]);
      expect(response.headers.get("accept-post")).toBe("application/x-ndjson, text/csv");
    }
    expect(
      (await service.call("/api/users/import", { method: "OPTIONS" })).headers.get("accept-post"),
    ).toContain("x-ndjson");
  });

  test("format names the format of the body, whatever its content type is", async () => {
    for (const type of [undefined, "application/x-www-form-urlencoded", NDJSON]) {
      const response = await post("/api/users/import?format=csv", "name,kind\nFormatted,csv\n", type);
      expect(await response.text()).toContain('{"line":2,"status":201');
    }
    const response = await post("/api/users/import?format=ndjson", '{"name":"Formatted"}\n', CSV);
    expect(await response.text()).toStartWith('{"line":1,"status":201');
    expect((await post("/api/users/import?format=csv", "name\nx\n", "text/csv; charset=latin1")).status).toBe(
      415,
    );
  });

  test.each(["format=json", "format=", "format=csv&format=csv", "fromat=csv", "dryrun=true&FORMAT=csv"])(
    "?%s is 400, and creates no user",
    async (query) => {
      const before = await count();
      const response = await post(`/api/users/import?${query}`, '{"name":"Mistyped"}\n', NDJSON);
      expect(response.status).toBe(400);
      const parameters = new Set(new URLSearchParams(query).keys());
      expect(await response.json()).toMatchObject({
        type: "/problems/invalid-query",
        errors: [...parameters].map((parameter) => ({ parameter })),
      });
      expect(await count()).toBe(before);
    },
  );

  test.each([NDJSON, CSV, "application/jsonl"])(
    "is not at the path of single creates: %s there is 415, with the path of imports",
    async (type) => {
      const response = await post("/api/users", '{"name":"Elsewhere"}\n', type);
      expect([response.status, response.headers.get("accept-post")]).toEqual([415, "application/json"]);
      expect((await response.json()).detail).toContain("POST /api/users/import");
    },
  );

  test("the response is NDJSON for any Accept header that allows JSON", async () => {
    for (const accept of ["application/json", "*/*", NDJSON]) {
      const { status, lines } = await importBody(service, NDJSON, '{"name":"Asked"}\n', { accept });
      expect([status, lines.length]).toEqual([200, 1]);
    }
  });
});

test("the limits of lines and records are settings", async () => {
  const service = await startService({ bodyLimit: 1024, recordLimit: 256 });
  const lines = [
    { name: "a".repeat(150) },
    { name: "b", x: "x".repeat(500) },
    { name: "c", x: "x".repeat(1100) },
  ];
  expect(summarize(await importBody(service, NDJSON, toNdjson(lines)))).toEqual({
    1: 1,
    2: "invalid-user",
    3: "too-large",
  });
  const table = `name,x\nd,${"x".repeat(500)}\ne,${"x".repeat(1100)}\nf,\n`;
  expect(summarize(await importBody(service, CSV, table))).toEqual({
    2: "invalid-user",
    3: "too-large",
    4: 2,
  });
  await service.stop();
});
