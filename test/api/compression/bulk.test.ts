import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request } from "node:http";
import { createGzip, createZstdCompress, gzipSync, zstdCompressSync } from "node:zlib";
import { CSV, importBody, NDJSON, summarize, toNdjson } from "../../support/bulk-requests.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { codings, decode, requestRaw } from "./raw-response.ts";

const compressors = { gzip: gzipSync, zstd: zstdCompressSync } as const;
const USERS = 2500;

onAnyEngine((engine) => {
  describe("an export", () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService({}, engine);
      const rows = Array.from({ length: USERS }, (_, index) => ({
        name: `User ${index}`,
        team: `team ${index % 7}`,
        note: crypto.randomUUID(),
      }));
      const { lines } = await importBody(service, NDJSON, toNdjson(rows));
      expect(lines).toHaveLength(USERS);
    });
    afterAll(() => service.stop());

    test.each([NDJSON, CSV])("of %s is streamed in each coding", async (accept) => {
      const url = `${service.url}/api/users/export`;
      const plain = await requestRaw(url, { accept });
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(plain.headers.vary).toBe("Accept, Accept-Encoding");
      for (const coding of codings) {
        const headers = { accept, "accept-encoding": coding };
        const response = await requestRaw(url, headers);
        expect(decode(response, coding)).toBe(plain.body.toString());
        expect(response.body.length).toBeLessThan(plain.body.length / 2);
        expect(response.headers["transfer-encoding"]).toBe("chunked");
        expect(response.headers["content-disposition"]).toBe(plain.headers["content-disposition"]);
        const head = await requestRaw(url, headers, { method: "HEAD" });
        expect(head.headers["content-encoding"]).toBe(coding);
        expect(head.headers.vary).toBe("Accept, Accept-Encoding");
      }
    });

    test("is decompressed by fetch and by the client library", async () => {
      const response = await service.call("/api/users/export");
      expect(response.headers.get("content-encoding")).toBe("zstd");
      expect((await response.text()).split("\n")).toHaveLength(USERS + 1);
      let count = 0;
      for await (const user of service.roster.users.export()) count += user.name === "" ? 0 : 1;
      expect(count).toBe(USERS);
    });

    test("that the caller aborts frees its place", async () => {
      for (const coding of codings) {
        await new Promise<void>((resolve, reject) => {
          const call = request(
            `${service.url}/api/users/export`,
            { headers: { "accept-encoding": coding }, agent: false },
            (response) => {
              response.once("data", () => {
                call.destroy();
                resolve();
              });
            },
          );
          call.on("error", reject);
          call.end();
        });
      }
      await until(async () => {
        const metrics = await (await service.call("/metrics")).text();
        return metrics.includes("roster_bulk_streams 0\n");
      });
    });

    test("with an invalid query is a problem, not compressed", async () => {
      const url = `${service.url}/api/users/export?limit=3`;
      const response = await requestRaw(url, { "accept-encoding": "gzip" });
      expect(response.status).toBe(400);
      expect(decode(response, "identity")).toContain("/problems/invalid-query");
    });
  });

  describe("a compressed import", () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService({}, engine);
    });
    afterAll(() => service.stop());

    const rows = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: `${prefix} ${index}`,
        note: "n".repeat(index % 50),
      }));

    test.each(["gzip", "zstd"] as const)("creates a user for each line of %s", async (coding) => {
      const ndjson = toNdjson([...rows(coding, 1200), { name: "" }]);
      const result = await importBody(service, NDJSON, compressors[coding](ndjson), {
        "content-encoding": coding,
      });
      expect(result.lines.filter(({ status }) => status === 201)).toHaveLength(1200);
      expect(result.lines.at(-1)).toMatchObject({ line: 1201, status: 422 });
      const csv = await importBody(service, CSV, compressors[coding]("name,team\nA,x\nB,y\n"), {
        "content-encoding": coding,
      });
      expect(csv.lines.map(({ status }) => status)).toEqual([201, 201]);
    });

    test.each([
      ["gzip", createGzip],
      ["zstd", createZstdCompress],
    ] as const)("of %s gets results while the body arrives", async (coding, createCompressor) => {
      const compressor = createCompressor();
      let text = "";
      const call = request(`${service.url}/api/users/import`, {
        method: "POST",
        headers: { "content-type": NDJSON, "content-encoding": coding },
        agent: false,
      });
      const ended = new Promise<void>((resolve, reject) => {
        call.on("error", reject);
        call.on("response", (response) => {
          response.setEncoding("utf8");
          response.on("data", (part) => {
            text += part;
          });
          response.on("end", resolve);
        });
      });
      compressor.pipe(call);
      compressor.write(toNdjson(rows("first", 1100)));
      compressor.flush();
      await until(() => text.split("\n").length > 500);
      compressor.end(toNdjson(rows("second", 100)));
      await ended;
      expect(text.split("\n")).toHaveLength(1201);
    });

    test("with an Idempotency-Key is the same import compressed or not", async () => {
      const key = { "idempotency-key": crypto.randomUUID() };
      const body = toNdjson(rows("same", 700));
      const plain = await importBody(service, NDJSON, body, key);
      const zstd = await importBody(service, NDJSON, zstdCompressSync(body), {
        ...key,
        "content-encoding": "zstd",
      });
      expect(zstd.lines).toEqual(plain.lines);
    });

    test.each(["gzip", "zstd"] as const)("of %s that is damaged reports it", async (coding) => {
      const headers = { "content-encoding": coding };
      const importBytes = (bytes: Buffer<ArrayBuffer>) => importBody(service, NDJSON, bytes, headers);
      expect(summarize(await importBytes(Buffer.from('{"name":"A"}\n')))).toEqual({
        whole: "malformed-json",
      });
      const whole = compressors[coding](toNdjson(rows("cut", 3)));
      expect(summarize(await importBytes(whole.subarray(0, -1)))).toEqual({ whole: "malformed-json" });
      const long = Buffer.concat([
        compressors[coding](toNdjson(rows("long", 2000))),
        Buffer.from("text after the end"),
      ]);
      const { status, lines } = await importBytes(long);
      expect(status).toBe(200);
      expect(lines.at(-1)).toMatchObject({ status: 400 });
      expect(lines.length).toBeGreaterThan(500);
    });

    test("in another coding gets 415 with Accept-Encoding", async () => {
      const response = await service.call("/api/users/import", {
        method: "POST",
        body: "x",
        headers: { "content-type": NDJSON, "content-encoding": "br" },
      });
      expect(response.status).toBe(415);
      expect(response.headers.get("accept-encoding")).toBe("gzip, zstd");
    });

    test.each(["gzip", "zstd"] as const)("of %s that is a bomb gets 413", async (coding) => {
      // 256 MiB of empty lines, in four parts.
      const part = compressors[coding](Buffer.alloc(67_108_864, "\n"));
      const bomb = Buffer.concat([part, part, part, part]);
      expect(bomb.length).toBeLessThan(280_000);
      const growths: number[] = [];
      for (let round = 0; round < 3; round++) {
        const memory = process.memoryUsage().rss;
        const result = await importBody(service, NDJSON, bomb, { "content-encoding": coding });
        expect([result.status, result.type]).toEqual([413, "too-large"]);
        growths.push(process.memoryUsage().rss - memory);
      }
      // What other tests left behind in this process can only add to it.
      expect(Math.min(...growths)).toBeLessThan(160_000_000);
    });

    test("that is very repetitive and small is not a bomb", async () => {
      const body = toNdjson(Array.from({ length: 100 }, () => ({ name: "Same", note: "x".repeat(15_000) })));
      const zstd = zstdCompressSync(body);
      expect(body.length / zstd.length).toBeGreaterThan(500);
      const { lines } = await importBody(service, NDJSON, zstd, { "content-encoding": "zstd" });
      expect(lines.every(({ status }) => status === 201)).toBe(true);
    });
  });
});
