import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { CSV, NDJSON } from "../../support/bulk-requests.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { type MonitoredService, startMonitoredService } from "../../support/monitored-service.ts";

setDefaultTimeout(60_000);

const KIB = 1024;
const fill = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
const times = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index));
const invalidUtf8 = Buffer.from(fill("\xff\n", 256 * KIB), "latin1");
const fields = (count: number, prefix: string) =>
  times(count, (field) => `,"${prefix}${field}":${field}`).join("");

interface HostileImport {
  readonly name: string;
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Default: 200. */
  readonly status?: number;
}

/** Bodies that take much work per byte. */
const imports: readonly HostileImport[] = [
  { name: "empty lines", type: NDJSON, body: fill("\n", 4096 * KIB) },
  { name: "empty lines with CR", type: NDJSON, body: fill("\r\n", 4096 * KIB) },
  { name: "lines of one character", type: NDJSON, body: fill("x\n", 64 * KIB) },
  { name: "empty objects", type: NDJSON, body: fill("{}\n", 64 * KIB) },
  { name: "lines that are not UTF-8", type: NDJSON, body: invalidUtf8 },
  { name: "one endless line", type: NDJSON, body: fill("x", 8192 * KIB) },
  {
    name: "lines with thousands of errors",
    type: NDJSON,
    body: times(100, (user) => `{"name":"User ${user}"${fields(4000, "_")}}\n`).join(""),
  },
  {
    name: "users with 200 fields",
    type: NDJSON,
    body: times(150, (user) => `{"name":"User ${user}"${fields(200, "field")}}\n`).join(""),
  },
  {
    name: "users of 15 KB",
    type: NDJSON,
    body: times(300, (user) => `{"name":"User ${user}","note":"${"x".repeat(15_000)}"}\n`).join(""),
  },
  { name: "empty rows", type: CSV, body: `name\n${fill("\n", 2048 * KIB)}` },
  { name: "rows of CR", type: CSV, body: `name\n${fill("\r", 2048 * KIB)}` },
  { name: "empty rows before the header", type: CSV, body: fill("\n", 1024 * KIB), status: 400 },
  { name: "a row with a million cells", type: CSV, body: `name\n${fill(",", 1000 * KIB)}\n`, status: 400 },
  { name: "rows with too many cells", type: CSV, body: `name\n${fill(",x\n", 32 * KIB)}` },
  { name: "quotes", type: CSV, body: `name\n${fill('"', 2048 * KIB)}`, status: 400 },
  { name: "a quote that is never closed", type: CSV, body: `name\n"${fill("x\n", 2048 * KIB)}`, status: 400 },
  {
    name: "an invalid header with thousands of columns",
    type: CSV,
    body: `${fill("_,", 60 * KIB)}\n`,
    status: 422,
  },
  {
    name: "rows with 3,000 columns",
    type: CSV,
    body: `name,${times(3000, (column) => `c${column}`).join()}\n${fill(`${",".repeat(3000)}x\n`, 1024 * KIB)}`,
  },
  {
    name: "rows with 200 filled columns",
    type: CSV,
    body: `name,${times(200, (column) => `c${column}`).join()}\n${fill(`n${",1".repeat(200)}\n`, 64 * KIB)}`,
  },
];

const distinctKeys = (count: number) => times(count, (key) => `"k${key.toString(36)}":1`).join();

/** Bodies of bulk changes that take JSON.parse up to 100 ms. All have nearly 1 MiB. */
const bulkChanges: readonly (readonly [name: string, body: string, status: number])[] = [
  ["100,000 ids", `{"ids":[${times(100_000, (id) => String(1_000_000 + id)).join()}],"patch":{}}`, 200],
  ["too many ids", `{"ids":[${fill("1,", 1020 * KIB)}1],"delete":true}`, 422],
  ["ids that are not integers", `{"ids":[${fill("1.5,", 300 * KIB)}1],"delete":true}`, 422],
  ["ids that are empty arrays", `{"ids":[${fill("[],", 1020 * KIB)}1],"delete":true}`, 422],
  ["ids that are different objects", `{"ids":[${times(80_000, (id) => `{"${id}":1}`).join()}]}`, 422],
  ["nested ids", `{"ids":[${fill(`${"[".repeat(1000)}${"]".repeat(1000)},`, 1020 * KIB)}1]}`, 422],
  ["one id of a million digits", `{"ids":[${fill("7", 1020 * KIB)}],"delete":true}`, 422],
  ["a long string", `{"ids":[1],"patch":{"name":"${fill("[", 1020 * KIB)}"}}`, 413],
  ["80,000 unknown members", `{${distinctKeys(80_000)}}`, 413],
  ["5,000 unknown members", `{${times(5000, (key) => `"${key}":1`).join()}}`, 422],
  ["a patch of 80,000 fields", `{"ids":[1],"patch":{${distinctKeys(80_000)}}}`, 413],
  ["a patch of 5,000 fields", `{"ids":[1],"patch":{${distinctKeys(5000)}}}`, 200],
  ["ids that do not end", `{"ids":[${fill("1,", 1020 * KIB)}`, 400],
  ["an array", `[${fill("[],", 1020 * KIB)}1]`, 413],
];

onAnyEngine((engine) => {
  let service: MonitoredService;
  beforeAll(async () => {
    service = await startMonitoredService({}, engine);
  });
  afterAll(() => service.stop());

  const post = (type: string, body: NonNullable<RequestInit["body"]>) =>
    fetch(`${service.url}/api/users/import`, { method: "POST", body, headers: { "content-type": type } });

  describe("No export holds the event loop", () => {
    beforeAll(async () => {
      // A thousand columns, and as many users as fit on a page.
      const wide = times(1000, (user) => `{"name":"User ${user}"${fields(16, `w${user % 64}_`)}}\n`);
      const quoted = times(1000, (user) => `{"name":"User, \\"${user}\\"","note":"one,\\n\\"two\\""}\n`);
      const rare = times(80, (user) => `{"name":"User ${user}"${fields(250, `r${user}_`)}}\n`);
      await (await post(NDJSON, [...wide, ...quoted, ...rare].join(""))).text();
    });

    test.each([CSV, NDJSON])("%s", async (accept) => {
      const work = async () => {
        const response = await service.call("/api/users/export", { headers: { accept } });
        expect((await response.text()).length).toBeGreaterThan(500_000);
        expect(response.status).toBe(200);
      };
      await work();
      await service.expectShortTurns(work);
    });
  });

  test.each(bulkChanges)("No bulk change holds the event loop: %s", async (_, body, status) => {
    const work = async () => {
      const headers = { "content-type": "application/json" };
      const response = await service.call("/api/users/bulk?dryRun=true", { method: "POST", body, headers });
      await response.text();
      expect(response.status).toBe(status);
    };
    await work();
    await service.expectShortTurns(work);
  });

  describe("No import holds the event loop", () => {
    test.each([...imports])("$type of $name", async ({ type, body, status = 200 }) => {
      const work = async () => {
        const response = await post(type, body);
        await response.text();
        expect(response.status).toBe(status);
      };
      await work();
      await service.expectShortTurns(work);
    });

    // Bun takes a millisecond to receive a megabyte. A client on the same machine could send 16 of them at once.
    test.each([NDJSON, CSV])("16 imports of empty lines at the same time, as %s", async (type) => {
      const checkHealth = async () => expect((await service.call("/healthz")).status).toBe(200);
      const emptyLines = Buffer.from(fill("\n", 32 * KIB));
      const importEmptyLines = async () => {
        let pieces = 0;
        const body = new ReadableStream({
          async pull(controller) {
            controller.enqueue(pieces === 0 && type === CSV ? "name\n" : emptyLines);
            await checkHealth();
            if (++pieces === 12) controller.close();
          },
        });
        const response = await post(type, body);
        expect(response.status).toBe(200);
        await response.text();
      };
      const work = async () => {
        let running = true;
        const imports = Promise.all(times(16, String).map(importEmptyLines));
        const finished = imports.finally(() => {
          running = false;
        });
        while (running) await checkHealth();
        await finished;
      };
      await work();
      await service.expectShortTurns(work);
    });
  });
});
