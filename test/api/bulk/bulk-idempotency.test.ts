import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  CSV,
  exportUsers,
  type Fields,
  importBody,
  NDJSON,
  SlowImport,
  toNdjson,
} from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(120_000);

/** Users without emails: only the Idempotency-Key prevents duplicates. */
const people = (file: string, count: number) =>
  Array.from({ length: count }, (_, line): Fields => ({ name: `Line ${line}`, file, line }));

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  }, 120_000);
  afterAll(() => service.stop());

  const importOnce = (key: string, body: string, type = NDJSON) =>
    importBody(service, type, body, { "idempotency-key": key });
  const usersOf = (file: string) => exportUsers(service, `?file=${file}`);

  /** Repeats an import whose connection was lost, until the service has noticed the loss. */
  const repeat = (key: string, body: string) =>
    until(async () => {
      const imported = await importOnce(key, body);
      return imported.status === 409 ? undefined : imported;
    });

  describe("an import with an Idempotency-Key", () => {
    test.each([1, 500, 501, 1700])(
      "of %d lines, repeated, has the same outcomes and creates no user",
      async (count) => {
        const body = toNdjson(people(`again${count}`, count));
        const first = await importOnce(`again ${count}`, body);
        expect(first.lines.filter(({ status }) => status === 201)).toHaveLength(count);
        expect(await importOnce(`again ${count}`, body)).toEqual(first);
        expect(await usersOf(`again${count}`)).toHaveLength(count);
      },
    );

    test("replays the problems of rejected lines, even if their cause is gone", async () => {
      const { id } = await service.roster.users.create({ name: "In the way", email: "way@example.com" });
      const body = `${toNdjson([{ name: "A", email: "way@example.com" }])}{bad\n${toNdjson([{ name: "B", file: "way" }])}`;
      const statuses = async () => (await importOnce("way", body)).lines.map(({ status }) => status);
      expect(await statuses()).toEqual([409, 400, 201]);
      await service.roster.users.delete(id);
      expect(await statuses()).toEqual([409, 400, 201]);
      expect(await usersOf("way")).toHaveLength(1);
    });

    test("replays every problem with its errors", async () => {
      await service.roster.users.create({ name: "In the way", email: "errors@example.com" });
      const lines = [
        ...[{}, { name: "A", _x: 1, "a/b": "\u0000" }, { name: "A", email: "Errors@example.com" }],
        ...[{ name: 7 }, { name: "C", file: "errors" }, {}],
      ];
      const body = `${toNdjson(lines)}{bad\n${"x".repeat(70_000)}\n`;
      const problems = async () =>
        (await importOnce("errors", body)).lines.map(({ problem, ...line }) => ({
          ...line,
          problem: problem && { ...problem, requestId: "" },
        }));
      const first = await problems();
      expect(first.map(({ status }) => status)).toEqual([422, 422, 409, 422, 201, 422, 400, 413]);
      expect(await problems()).toEqual(first);
    });

    test("ignores line endings, blank lines and a byte order mark when it compares bodies", async () => {
      const lines = people("ends", 3).map((line) => JSON.stringify(line));
      const ids = async (text: string) => (await importOnce("ends", text)).lines.map(({ id }) => id);
      const first = await ids(`${lines.join("\n")}\n`);
      expect(await ids(lines.join("\r\n"))).toEqual(first);
      expect(await ids(`\ufeff${lines.join("\n\n")}`)).toEqual(first);
      expect(await usersOf("ends")).toHaveLength(3);
    });

    test("works for CSV", async () => {
      const body = `name,file\n${"Ada,table\n".repeat(1200)}`;
      const first = await importOnce("table", body, CSV);
      expect(await importOnce("table", body, CSV)).toEqual(first);
      expect(await usersOf("table")).toHaveLength(1200);
    });

    test.each([0, 1, 499, 500, 1001, 1400])(
      "that is cut off after %d of 1500 lines and then repeated creates each user once, with the same ids",
      async (sent) => {
        const file = `cut${sent}`;
        const lines = toNdjson(people(file, 1500)).split(/(?<=\n)/);
        const slow = await SlowImport.open(service.url, NDJSON, { "idempotency-key": file });
        // The body ends within a line.
        slow.send(`${lines.slice(0, sent).join("")}{"name":"Cut`);
        await slow.waitUntil(() => slow.lines.length >= (sent > 1000 ? 500 : 0));
        if (sent === 1400) await until(async () => (await usersOf(file)).length === 1000);
        slow.disconnect();
        await slow.closed;
        const reported = slow.lines;
        const repeated = await repeat(file, lines.join(""));
        expect(repeated.lines.map(({ status }) => status)).toEqual(lines.map(() => 201));
        expect(repeated.lines.slice(0, reported.length)).toEqual(reported);
        const users = await usersOf(file);
        expect(users.map(({ line }) => line)).toEqual(lines.map((_, index) => index));
        expect(users.map(({ id }) => id)).toEqual(repeated.lines.map(({ id }) => id ?? 0));
      },
    );

    test("that was cut off and is repeated twice at once creates each user once", async () => {
      const body = toNdjson(people("sides", 1300));
      const slow = await SlowImport.open(service.url, NDJSON, { "idempotency-key": "sides" });
      slow.send(body);
      await slow.waitUntil(() => slow.lines.length >= 500);
      slow.disconnect();
      const [one, two] = await Promise.all([repeat("sides", body), repeat("sides", body)]);
      expect(one.lines).toEqual(two.lines);
      expect(await usersOf("sides")).toHaveLength(1300);
    });

    test("is 409 while another import with the same key is running; so is a create", async () => {
      const slow = await SlowImport.open(service.url, NDJSON, { "idempotency-key": "running" });
      slow.send(toNdjson(people("running", 1200)));
      await slow.waitUntil(() => slow.lines.length >= 500);
      expect(await importOnce("running", toNdjson(people("running", 1200)))).toMatchObject({
        status: 409,
        type: "idempotency-in-flight",
      });
      const create = await service.call("/api/users", {
        method: "POST",
        json: { name: "x" },
        headers: { "idempotency-key": "running" },
      });
      expect(create.status).toBe(409);
      slow.end();
      await slow.waitUntil(() => slow.lines.length === 1200);
      slow.disconnect();
      const again = await repeat("running", toNdjson(people("running", 1200)));
      expect(again.lines).toEqual(slow.lines);
    });
  });

  describe("a different body with the same key", () => {
    const mismatch = { status: 422, type: "idempotency-mismatch", lines: [] };

    test("is 422 before anything is created", async () => {
      await importOnce("other", toNdjson(people("first", 3)));
      expect(await importOnce("other", toNdjson(people("other", 3)))).toMatchObject(mismatch);
      expect(await usersOf("other")).toEqual([]);
    });

    test("is 422 before anything is created, even if it is much longer", async () => {
      await importOnce("longer", toNdjson(people("short", 100)));
      expect(await importOnce("longer", toNdjson(people("longer", 1800)))).toMatchObject(mismatch);
      // Nothing is created later, either: no import runs.
      await until(async () =>
        (await (await service.call("/metrics")).text()).includes("\nroster_bulk_streams 0\n"),
      );
      expect(await usersOf("longer")).toEqual([]);
    });

    test.each([
      ["continues where the first ended", 500, 700],
      ["ends before the first did", 1000, 500],
    ])("that %s is 422", async (what, first, second) => {
      const lines = people(`end${first}`, 1500);
      await importOnce(what, toNdjson(lines.slice(0, first)));
      expect(await importOnce(what, toNdjson(lines.slice(0, second)))).toMatchObject(mismatch);
      expect(await usersOf(`end${first}`)).toHaveLength(first);
    });

    test("that differs in a later chunk is 422 from that chunk on", async () => {
      const lines = people("later", 1100);
      const first = await importOnce("later", toNdjson(lines));
      const changed = lines.map((line, index): Fields => (index === 700 ? { ...line, changed: true } : line));
      const { status, lines: reported } = await importOnce(
        "later",
        toNdjson([...changed, ...people("later", 900)]),
      );
      expect(status).toBe(200);
      expect(reported.slice(0, 500)).toEqual(first.lines.slice(0, 500));
      expect(reported.slice(500).map(({ line, status }) => [line, status])).toEqual(
        Array.from({ length: 500 }, (_, index) => [501 + index, 422]),
      );
      expect(reported[500]?.problem?.type).toBe("/problems/idempotency-mismatch");
      expect(await usersOf("later")).toHaveLength(1100);
    });

    test("is 422 after an import that was cut off", async () => {
      const slow = await SlowImport.open(service.url, NDJSON, { "idempotency-key": "cut other" });
      slow.send(toNdjson(people("cut1", 1200)));
      await slow.waitUntil(() => slow.lines.length >= 500);
      slow.disconnect();
      expect(await repeat("cut other", toNdjson(people("cut2", 1600)))).toMatchObject(mismatch);
      expect(await usersOf("cut2")).toEqual([]);
    });
  });

  test("without a key, only emails prevent duplicates", async () => {
    const body = toNdjson([
      { name: "With", email: "with@once.example", file: "bare" },
      { name: "Without", file: "bare" },
    ]);
    const statuses = async () => (await importBody(service, NDJSON, body)).lines.map(({ status }) => status);
    expect(await statuses()).toEqual([201, 201]);
    expect(await statuses()).toEqual([409, 201]);
    expect(await usersOf("bare")).toHaveLength(3);
  });

  test("an invalid key is 400 before the body is read", async () => {
    expect(await importOnce("x".repeat(300), "{}")).toMatchObject({ status: 400, type: "invalid-header" });
    const longest = "x".repeat(255);
    expect(await importOnce(longest, toNdjson(people("longest", 700)))).toMatchObject({ status: 200 });
    expect(await importOnce(longest, toNdjson(people("longest", 700)))).toMatchObject({ status: 200 });
    expect(await usersOf("longest")).toHaveLength(700);
  });
});
