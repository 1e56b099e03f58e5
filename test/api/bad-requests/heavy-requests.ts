import { expect } from "bun:test";
import { CSV, NDJSON } from "../../support/bulk-requests.ts";
import type { TestService } from "../../support/service.ts";

const KIB = 1024;
const fill = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
const times = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index));
const invalidUtf8 = Buffer.from(fill("\xff\n", 256 * KIB), "latin1");
const fields = (count: number, prefix: string) =>
  times(count, (field) => `,"${prefix}${field}":${field}`).join("");

interface HeavyImport {
  readonly name: string;
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Default: 200. */
  readonly status?: number;
}

/** Bodies that take much work per byte. */
export const heavyImports: readonly HeavyImport[] = [
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
export const heavyBulkChanges: readonly (readonly [name: string, body: string, status: number])[] = [
  ["100,000 ids", `{"ids":[${times(100_000, (id) => String(1_000_000 + id)).join()}],"patch":{}}`, 200],
  ["too many ids", `{"ids":[${fill("1,", 1020 * KIB)}1],"delete":true}`, 422],
  ["ids that are not integers", `{"ids":[${fill("1.5,", 300 * KIB)}1],"delete":true}`, 422],
  ["ids that are empty arrays", `{"ids":[${fill("[],", 1020 * KIB)}1],"delete":true}`, 422],
  ["ids that are different objects", `{"ids":[${times(80_000, (id) => `{"${id}":1}`).join()}]}`, 422],
  ["nested ids", `{"ids":[${fill(`${"[".repeat(1000)}${"]".repeat(1000)},`, 1020 * KIB)}1]}`, 422],
  ["one id of a million digits", `{"ids":[${fill("7", 1020 * KIB)}],"delete":true}`, 413],
  ["a long string", `{"ids":[1],"patch":{"name":"${fill("[", 1020 * KIB)}"}}`, 413],
  ["80,000 unknown members", `{${distinctKeys(80_000)}}`, 413],
  ["5,000 unknown members", `{${times(5000, (key) => `"${key}":1`).join()}}`, 422],
  ["a patch of 80,000 fields", `{"ids":[1],"patch":{${distinctKeys(80_000)}}}`, 413],
  ["a patch of 5,000 fields", `{"ids":[1],"patch":{${distinctKeys(5000)}}}`, 200],
  ["ids that do not end", `{"ids":[${fill("1,", 1020 * KIB)}`, 400],
  ["an array", `[${fill("[],", 1020 * KIB)}1]`, 413],
];

type Service = Pick<TestService, "url" | "call">;

const post = ({ url }: Service, type: string, body: NonNullable<RequestInit["body"]>) =>
  fetch(`${url}/api/users/import`, { method: "POST", body, headers: { "content-type": type } });

export async function sendImport(service: Service, { type, body, status = 200 }: HeavyImport): Promise<void> {
  const response = await post(service, type, body);
  await response.text();
  expect(response.status).toBe(status);
}

export async function sendBulkChange(service: Service, body: string, status: number): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await service.call("/api/users/bulk?dryRun=true", { method: "POST", body, headers });
  await response.text();
  expect(response.status).toBe(status);
}

/** Creates users with a thousand columns, and as many users as fit on a page. */
export async function createWideUsers(service: Service): Promise<void> {
  const wide = times(1000, (user) => `{"name":"User ${user}"${fields(16, `w${user % 64}_`)}}\n`);
  const quoted = times(1000, (user) => `{"name":"User, \\"${user}\\"","note":"one,\\n\\"two\\""}\n`);
  const rare = times(80, (user) => `{"name":"User ${user}"${fields(250, `r${user}_`)}}\n`);
  await (await post(service, NDJSON, [...wide, ...quoted, ...rare].join(""))).text();
}

export async function exportWideUsers(service: Service, accept: string): Promise<void> {
  const response = await service.call("/api/users/export", { headers: { accept } });
  expect((await response.text()).length).toBeGreaterThan(500_000);
  expect(response.status).toBe(200);
}

/**
 * Sends 16 imports of empty lines at the same time, and health checks. Bun takes a millisecond to receive a megabyte: a client on
 * the same machine could send 16 of them at once.
 */
export async function importEmptyLines(service: Service, type: string): Promise<void> {
  const checkHealth = async () => expect((await service.call("/healthz")).status).toBe(200);
  const emptyLines = Buffer.from(fill("\n", 32 * KIB));
  const importOnce = async () => {
    let pieces = 0;
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(pieces === 0 && type === CSV ? "name\n" : emptyLines);
        await checkHealth();
        if (++pieces === 12) controller.close();
      },
    });
    const response = await post(service, type, body);
    expect(response.status).toBe(200);
    await response.text();
  };
  let running = true;
  const finished = Promise.all(times(16, String).map(importOnce)).finally(() => {
    running = false;
  });
  while (running) await checkHealth();
  await finished;
}
