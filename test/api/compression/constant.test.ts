import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { assetPaths } from "../../../src/pages/assets.ts";
import { startService, type TestService } from "../../support/service.ts";
import { codings, decode, requestRaw } from "./raw-response.ts";

let service: TestService;
let consoleScript: string;
beforeAll(async () => {
  service = await startService();
  const page = await (await service.call("/")).text();
  consoleScript = /src="(\/console\/[^"]+\.js)"/.exec(page)?.[1] ?? "";
});
afterAll(() => service.stop());

/** Larger than 1 KB. */
const large = [
  "/openapi.json",
  "/docs",
  "/problems",
  "/problems/email-taken",
  assetPaths.script,
  assetPaths.style,
];
const paths = [...large, "/", "/keys", assetPaths.icon];

describe("content that never changes", () => {
  test.each([...large, "the script of the console"])("%s is compressed in each coding", async (name) => {
    const path = name.startsWith("/") ? name : consoleScript;
    const url = service.url + path;
    const plain = await requestRaw(url);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const text = decode(plain, "identity");
    const etags = new Set([plain.headers.etag]);
    for (const coding of codings) {
      const response = await requestRaw(url, { "accept-encoding": coding });
      expect(decode(response, coding)).toBe(text);
      expect(response.body.length).toBeLessThan(plain.body.length / 1.5);
      expect(Number(response.headers["content-length"])).toBe(response.body.length);
      expect(response.headers["content-type"]).toBe(plain.headers["content-type"]);
      etags.add(response.headers.etag);
      const head = await requestRaw(url, { "accept-encoding": coding }, { method: "HEAD" });
      for (const header of ["etag", "content-encoding", "content-length", "content-type", "vary"])
        expect([header, head.headers[header]]).toEqual([header, response.headers[header]]);
      expect(head.body.length).toBe(0);
    }
    expect(etags.size).toBe(1 + codings.length);
  });

  test.each(paths)("%s gives 304 for its ETag, in the same coding", async (path) => {
    const url = service.url + path;
    for (const coding of ["identity", ...codings]) {
      const headers = { "accept-encoding": coding };
      const first = await requestRaw(url, headers);
      const etag = String(first.headers.etag);
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const again = await requestRaw(url, { ...headers, "if-none-match": tag }, { method });
          expect([again.status, again.body.length]).toEqual([304, 0]);
          for (const header of ["etag", "vary", "cache-control"])
            expect([header, again.headers[header]]).toEqual([header, first.headers[header]]);
          expect(again.headers["content-encoding"]).toBeUndefined();
        }
      }
      const changed = await requestRaw(url, { ...headers, "if-none-match": '"other"' });
      expect(changed.status).toBe(200);
    }
  });

  test.each(large)("%s has the ETag of its own coding only", async (path) => {
    const etagOf = async (coding: string) =>
      String((await requestRaw(service.url + path, { "accept-encoding": coding })).headers.etag);
    const status = async (coding: string, etag: string) =>
      (await requestRaw(service.url + path, { "accept-encoding": coding, "if-none-match": etag })).status;
    expect(await status("gzip", await etagOf("br"))).toBe(200);
    expect(await status("identity", await etagOf("gzip"))).toBe(200);
  });

  test.each(paths)("%s names Accept-Encoding in Vary", async (path) => {
    for (const headers of [{}, { "accept-encoding": "gzip" }, { "accept-encoding": "identity" }])
      expect((await requestRaw(service.url + path, headers)).headers.vary).toBe("Accept-Encoding");
  });

  test("the files of the console may be cached for good, pages only with revalidation", async () => {
    const cacheControl = async (path: string) =>
      (await requestRaw(service.url + path)).headers["cache-control"];
    expect(await cacheControl(consoleScript)).toContain("immutable");
    for (const path of paths) expect(await cacheControl(path)).toBe("no-cache");
  });

  test("prefers the smallest coding that the caller accepts", async () => {
    const codingOf = async (accept: string) =>
      (await requestRaw(`${service.url}/docs`, { "accept-encoding": accept })).headers["content-encoding"];
    expect(await codingOf("gzip, deflate, br, zstd")).toBe("br");
    expect(await codingOf("gzip, zstd")).toBe("zstd");
    expect(await codingOf("br;q=0.5, gzip")).toBe("gzip");
  });

  test("many callers at once get the same bytes", async () => {
    const other = await startService();
    try {
      const bodies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          requestRaw(`${other.url}/docs`, { "accept-encoding": codings[index % 3] ?? "" }),
        ),
      );
      const texts = new Set(bodies.map((body, index) => decode(body, codings[index % 3] ?? "identity")));
      expect(texts.size).toBe(1);
    } finally {
      await other.stop();
    }
  });

  test("fetch decompresses the content by itself", async () => {
    const response = await service.call("/openapi.json");
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(await response.json()).toHaveProperty("openapi");
    const etag = response.headers.get("etag") ?? "";
    const again = await service.call("/openapi.json", { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
  });
});
