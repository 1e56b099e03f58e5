import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { problems } from "../../../src/contract/problems.ts";
import { assetPaths } from "../../../src/pages/assets.ts";
import { startService, type TestService } from "../../support/service.ts";

const documents = [
  "/",
  "/keys",
  "/docs",
  "/problems",
  ...Object.keys(problems).map((type) => `/problems/${type}`),
];
const paths = [...documents, ...Object.values(assetPaths)];

/** The complete content security policy. */
const POLICY: Record<string, string> = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "connect-src": "'self'",
  "img-src": "'self' data:",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe("pages and their files", () => {
  test.each(paths)("%s has the security headers", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await service.call(path, { method });
      expect(status).toBe(200);
      const directives = (headers.get("content-security-policy") ?? "").split("; ");
      expect(Object.fromEntries(directives.map((directive) => directive.split(/ (.*)/).slice(0, 2)))).toEqual(
        POLICY,
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("permissions-policy")).toMatch(/camera=\(\).*geolocation=\(\).*microphone=\(\)/);
      expect(headers.get("content-type")).toMatch(
        /^(text\/(html|css|javascript); charset=utf-8|image\/svg\+xml)$/,
      );
      expect(headers.get("server")).toBeNull();
      expect(headers.get("set-cookie")).toBeNull();
    }
  });

  test.each(documents)("%s has no inline scripts or styles and no foreign resources", async (path) => {
    const page = await (await service.call(path)).text();
    expect(page).not.toMatch(
      /<style|\sstyle=|<script(?![^>]*\ssrc="\/)|\son\w+=|javascript:|<base|<iframe|<object|<embed/i,
    );
    expect(page).not.toMatch(/\s(?:src|action|formaction)="(?!\/)/);
    expect(page).not.toMatch(/<link[^>]*href="(?!\/)/);
  });

  test("other responses are never treated as HTML", async () => {
    for (const path of ["/openapi.json", "/api/users", "/healthz", "/problems/nothing", "/docs/nothing.js"]) {
      const { headers } = await service.call(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).toMatch(/^application\/(problem\+)?json/);
    }
  });

  test("text in the path never becomes part of a page", async () => {
    const response = await service.call("/problems/%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    expect(response.headers.get("content-type")).toBe("application/problem+json");
  });
});
