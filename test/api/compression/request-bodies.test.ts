import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { onAnyEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { requestRaw } from "./raw-response.ts";

const compressors = { gzip: gzipSync, zstd: zstdCompressSync, "x-gzip": gzipSync, GZIP: gzipSync } as const;

onAnyEngine((engine) => {
  describe("a compressed JSON body", () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService({}, engine);
    });
    afterAll(() => service.stop());

    const send = (method: string, path: string, coding: string, body: Uint8Array<ArrayBuffer>, more = {}) =>
      service.call(path, {
        method,
        body,
        headers: { "content-type": "application/json", "content-encoding": coding, ...more },
      });
    const post = (coding: string, body: Uint8Array<ArrayBuffer>, more = {}) =>
      send("POST", "/api/users", coding, body, more);
    const problemOf = async (response: Response) => {
      const { type } = await response.json();
      return `${response.status} ${type}`;
    };

    test.each(Object.entries(compressors))(
      "creates, replaces and changes a user, as %s",
      async (coding, compress) => {
        const note = "compressed ".repeat(1000);
        const created = await post(coding, compress(JSON.stringify({ name: "Ada", note })));
        expect(created.status).toBe(201);
        const { id } = await created.json();
        const replaced = await send("PUT", `/api/users/${id}`, coding, compress('{"name":"Grace"}'));
        expect(await replaced.json()).toMatchObject({ id, name: "Grace" });
        const changed = await send("PATCH", `/api/users/${id}`, coding, compress('{"plan":"pro"}'));
        expect(await changed.json()).toMatchObject({ name: "Grace", plan: "pro" });
      },
    );

    test("is the same as the uncompressed body for an Idempotency-Key", async () => {
      const text = '{"name":"Once"}';
      const key = { "idempotency-key": crypto.randomUUID() };
      const first = await post("gzip", gzipSync(text), key);
      const second = await post("zstd", zstdCompressSync(text), key);
      const third = await service.call("/api/users", {
        method: "POST",
        json: { name: "Once" },
        headers: key,
      });
      const ids = await Promise.all([first, second, third].map(async (each) => (await each.json()).id));
      expect(new Set(ids).size).toBe(1);
      expect(third.headers.get("idempotency-replayed")).toBe("true");
    });

    test("may consist of several members or frames", async () => {
      for (const compress of [gzipSync, zstdCompressSync]) {
        const body = Buffer.concat([compress('{"name":'), compress('"Twice"}')]);
        const response = await post(compress === gzipSync ? "gzip" : "zstd", body);
        expect(await response.json()).toMatchObject({ name: "Twice" });
      }
    });

    test("may arrive in chunks", async () => {
      const body = zstdCompressSync('{"name":"Chunked"}');
      const stream = new ReadableStream<Uint8Array>({
        async start(controller) {
          for (const byte of body) {
            controller.enqueue(Uint8Array.of(byte));
            await Bun.sleep(0);
          }
          controller.close();
        },
      });
      const headers = { "content-type": "application/json", "content-encoding": "zstd" };
      const response = await service.call("/api/users", { method: "POST", body: stream, headers });
      expect(response.status).toBe(201);
    });

    test("of more than 64 KiB, before or after decompression, is too large", async () => {
      const large = JSON.stringify({ name: "A", a: "x".repeat(70_000) });
      const bomb = Buffer.alloc(50_000_000, " ");
      for (const text of [large, bomb]) {
        expect(await problemOf(await post("gzip", gzipSync(text)))).toBe("413 /problems/too-large");
        expect(await problemOf(await post("zstd", zstdCompressSync(text)))).toBe("413 /problems/too-large");
      }
      const random = crypto.getRandomValues(Buffer.alloc(65_536));
      expect(await problemOf(await post("gzip", gzipSync(random)))).toBe("413 /problems/too-large");
    });

    test("may have exactly 64 KiB after decompression", async () => {
      const body = gzipSync(`{"name":"A"}${" ".repeat(65_536 - 12)}`);
      expect((await post("gzip", body)).status).toBe(201);
    });

    test.each(["gzip", "zstd"] as const)("that is damaged as %s is malformed", async (coding) => {
      const body = compressors[coding](JSON.stringify({ name: "Damaged", a: crypto.randomUUID() }));
      const flipped = Buffer.from(body);
      flipped.fill(0xff, 8, 30);
      const damaged: [name: string, body: Buffer<ArrayBuffer>][] = [
        ["not compressed", Buffer.from('{"name":"A"}')],
        ["empty", Buffer.alloc(0)],
        ["another coding", coding === "gzip" ? zstdCompressSync('{"name":"A"}') : gzipSync('{"name":"A"}')],
        ["flipped bytes", flipped],
        ["text after the end", Buffer.concat([body, Buffer.from("more text")])],
        ...[1, 4, 10, body.length - 1].map((length): [string, Buffer<ArrayBuffer>] => [
          `only ${length} bytes`,
          body.subarray(0, length),
        ]),
      ];
      for (const [name, bytes] of damaged)
        expect([name, await problemOf(await post(coding, bytes))]).toEqual([
          name,
          "400 /problems/malformed-json",
        ]);
    });

    test("is rejected if Zstandard needs more than 8 MiB of memory", async () => {
      const text = '{"name":"Window"}';
      const blockHeader = (text.length << 3) | 1;
      const frame = (window: number) =>
        Buffer.concat([
          Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, window, blockHeader & 0xff, blockHeader >> 8, 0),
          Buffer.from(text),
        ]);
      const [mebibytes8, mebibytes16] = [(23 - 10) << 3, (24 - 10) << 3] as const;
      expect((await post("zstd", frame(mebibytes8))).status).toBe(201);
      expect(await problemOf(await post("zstd", frame(mebibytes16)))).toBe("400 /problems/malformed-json");
    });

    test("in another coding gets 415, and Accept-Encoding says which ones work", async () => {
      for (const coding of ["br", "deflate", "gzip, gzip"]) {
        const response = await post(coding, gzipSync("{}"));
        expect(response.headers.get("accept-encoding")).toBe("gzip, zstd");
        expect(await problemOf(response)).toBe("415 /problems/unsupported-media-type");
      }
    });

    test("leaves the connection usable after a rejection", async () => {
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      for (let round = 0; round < 3; round++) {
        const body = gzipSync(Buffer.alloc(1_000_000));
        const { status } = await requestRaw(`${service.url}/api/users`, headers, { method: "POST", body });
        expect(status).toBe(413);
      }
      expect((await post("gzip", gzipSync('{"name":"After"}'))).status).toBe(201);
    });
  });
});
