import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bearer, createFirstKey } from "../../support/credentials.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { type Settings, startService, type TestService } from "../../support/service.ts";

/** Sends one request, and fails on more than one response. */
async function send(service: TestService, text: string) {
  const { responses } = await sendRaw(service.url, [text]);
  expect(responses).toHaveLength(1);
  const [response] = responses;
  if (!response) throw new Error("There is no response.");
  return { ...response, header: new Map(response.headers) };
}

const hostile = '/api/users?limit=1&name=é"<x>&team=Ünïcode%0d%0a\u0001|{}';

onAnyEngine((engine) => {
  let service: TestService;
  let authorization: string;
  beforeAll(async () => {
    service = await startService({}, engine);
    const users = ["Ada", "Grace"].map((name) => ({ name, note: "é<>" }));
    for (const user of users) await service.roster.users.create(user);
    authorization = bearer(await createFirstKey(service)).authorization;
  });
  afterAll(async () => {
    expect(service.log.filter((line) => JSON.parse(line).level === "error")).toEqual([]);
    await service.stop();
  });

  describe("A request of HTTP/1.0 without Host", () => {
    test("gets relative links, percent-encoded, and the end of the connection", async () => {
      const head = `GET /api/users?limit=1&note=é<> HTTP/1.0\r\nAuthorization: ${authorization}\r\n\r\n`;
      const { responses, closed } = await sendRaw(service.url, [head], { until: "close" });
      expect(closed).toBe(true);
      expect(responses.map(({ status }) => status)).toEqual([200]);
      const link = new Map(responses[0]?.headers ?? []).get("link");
      expect(link).toStartWith("</api/users?limit=1&note=%C3%A9%3C%3E&after=");
      expect(JSON.parse(responses[0]?.body ?? "")).toMatchObject([{ name: "Ada" }]);
    });

    test("with a hostile query is a problem, not a failure", async () => {
      const { status, body } = await send(
        service,
        `GET ${hostile.replace("\u0001", "%01")} HTTP/1.0\r\nAuthorization: ${authorization}\r\n\r\n`,
      );
      expect([status, JSON.parse(body)]).toMatchObject([200, []]);
    });

    test("has the same path as a request with Host", async () => {
      for (const path of ["/api/./users/1", "/api/users/../users/%31", "/api/users/1/"]) {
        const response = await send(
          service,
          `GET ${path} HTTP/1.0\r\nAuthorization: ${authorization}\r\n\r\n`,
        );
        expect([path, response.status]).toEqual([path, 200]);
      }
      for (const path of ["//evil.example/api/users/1", "/é/<script>"]) {
        expect((await send(service, `GET ${path} HTTP/1.0\r\n\r\n`)).status).toBe(404);
      }
    });
  });

  describe("An invalid Host", () => {
    const hosts = [
      "a b",
      "a/b",
      "é",
      "[::1",
      "[::g]",
      "[:]",
      "a:99999",
      "a:b",
      "256.1.1.1",
      "a%00",
      "user@a",
      "a#b",
      "a,b",
      "<script>",
      "a".repeat(300),
      "a\r\nHost: a",
      "a\r\nHost: b",
      "\r\nHost: b",
      "a\r\nHost:",
    ];
    test.each(hosts.map((host) => ({ host, text: JSON.stringify(host).slice(0, 40) })))(
      "of $text is 400, and is not quoted",
      async ({ host }) => {
        for (const path of ["/healthz", "/api/users/1", hostile.replace("\u0001", "")]) {
          for (const version of ["1.0", "1.1"]) {
            const { status, header, body } = await send(
              service,
              `GET ${path} HTTP/${version}\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n\r\n`,
            );
            expect([host, path, status]).toEqual([host, path, 400]);
            expect(JSON.parse(body)).toMatchObject({ type: "/problems/invalid-header", instance: "/" });
            expect(header.has("link")).toBe(false);
          }
        }
      },
    );

    test("is 400 for every method", async () => {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const { status } = await send(
          service,
          `${method} /api/users/1 HTTP/1.1\r\nHost: a b\r\nContent-Length: 0\r\n\r\n`,
        );
        expect([method, status]).toEqual([method, 400]);
      }
    });
  });

  test("Any byte in the query gives neither a failure nor an unencoded header", async () => {
    const heads = ["HTTP/1.0", "HTTP/1.1\r\nHost: localhost", "HTTP/1.1\r\nHost:"];
    const check = async (code: number, head: string) => {
      const request = Buffer.concat([
        Buffer.from("GET /api/users?limit=1&note="),
        Buffer.from([code]),
        Buffer.from(`&offset=1 ${head}\r\nAuthorization: ${authorization}\r\n\r\n`),
      ]);
      const [response] = (await sendRaw(service.url, [request])).responses;
      expect([code, head, [200, 400].includes(response?.status ?? 0)]).toEqual([code, head, true]);
      const link = new Map(response?.headers ?? []).get("link") ?? "";
      expect(link).toMatch(/^(<[\w.~!$&'()*+,;=:@/?%-]+>; rel="\w+"(, )?)*$/);
    };
    for (let code = 0x21; code <= 0xff; code++) await Promise.all(heads.map((head) => check(code, head)));
  }, 60_000);
});

describe("A health check of HTTP/1.0 without Host", () => {
  test.each<Settings>([{}, { auth: "off" }, { auth: "required" }])("is 200 with %j", async (settings) => {
    const service = await startService(settings);
    for (const path of ["/healthz", "/readyz"]) {
      for (const head of ["HTTP/1.0", "HTTP/1.1\r\nHost:"]) {
        const { responses, closed } = await sendRaw(service.url, [`GET ${path} ${head}\r\n\r\n`], {
          until: "close",
        });
        expect(responses.map(({ status }) => status)).toEqual([200]);
        expect(closed).toBe(true);
      }
    }
    await service.stop();
  });

  test("is the only request without Host that an open service answers", async () => {
    const service = await startService();
    for (const path of ["/api/users", "/api/users/1", "/metrics", "/"]) {
      expect((await send(service, `GET ${path} HTTP/1.0\r\n\r\n`)).status).toBe(421);
    }
    await service.stop();
  });
});
