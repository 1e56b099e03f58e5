import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { User, Users } from "../../../src/client/index.ts";
import type { ProblemDocument } from "../../../src/contract/problems.ts";
import { conforming } from "../../support/conformance.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { startService, type TestService } from "../../support/service.ts";
import { type BadRequest, fixture, otherUser, usedKey } from "./bad-request.ts";
import { rejectedGroups, unparsableGroups } from "./bad-request-groups.ts";
import { expectClosed } from "./expect-closed.ts";
import { expectProblem, sendChecked } from "./expect-problem.ts";
import type { UnparsableRequest } from "./rejected-by-bun.ts";
import { bodies, reads, type ValidRequest } from "./valid-requests.ts";

onAnyEngine((engine) => {
  let service: TestService;
  let users: Users;
  let before: User[];

  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
    await users.create(fixture);
    await users.create(otherUser, { idempotencyKey: usedKey });
    before = await directory();
  });
  afterAll(() => service.stop());

  const directory = () => users.list().all();

  async function expectHealthy(): Promise<void> {
    const health = await service.call("/healthz");
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual({ status: "ok" });
    expect(service.log.filter((line) => JSON.parse(line).level === "error")).toEqual([]);
  }

  function rejects(title: string, rows: readonly BadRequest[]): void {
    describe(title, () => {
      test.each(rows.map((row) => ({ ...row, ...row.expected })))(
        "$name is $status $type",
        async (row) => await expectProblem(service, row),
      );
      test("the service is healthy and no user has changed afterwards", async () => {
        await expectHealthy();
        expect(await directory()).toEqual(before);
      });
    });
  }

  for (const [title, rows] of rejectedGroups) rejects(title, rows);

  function closesConnection(title: string, rows: readonly UnparsableRequest[]): void {
    describe(title, () => {
      test.each([...rows])("$name is $status, and closes the connection", (row) =>
        expectClosed(service, row),
      );
      test("the service is healthy and no user has changed afterwards", async () => {
        await expectHealthy();
        expect(await directory()).toEqual(before);
      });
    });
  }

  describe("An invalid HEAD request", () => {
    const host = "Host: 127.0.0.1";
    test.each([
      { path: "/api/users/0", headers: host, status: 404 },
      { path: "/api/users?limit=0", headers: host, status: 400 },
      { path: "/nowhere", headers: host, status: 404 },
      { path: "/healthz", headers: `${host}\r\nAccept: text/html`, status: 406 },
      { path: "/api/users", headers: "Host: evil.com", status: 421 },
    ])("of $path is $status without a body", async ({ path, headers, status }) => {
      const requests = [
        `HEAD ${path} HTTP/1.1\r\n${headers}\r\n\r\n`,
        `GET /healthz HTTP/1.1\r\n${host}\r\n\r\n`,
      ];
      const { responses } = await sendRaw(service.url, requests, { until: 2, head: true });
      expect(responses.map((response) => response.status)).toEqual([status, 200]);
      expect(responses[0]?.headers).toContainEqual(["content-type", "application/problem+json"]);
    });
  });

  for (const [title, rows] of unparsableGroups) closesConnection(title, rows);

  function expectAccepted(title: string, rows: readonly ValidRequest[]): void {
    describe(title, () => {
      const check = async ({ sent, status, response = {} }: ValidRequest) => {
        const { body, ...rest } = await sendChecked(service, sent);
        expect(rest.status).toBe(status);
        if (Array.isArray(response)) expect(JSON.parse(body)).toEqual(response);
        else expect(JSON.parse(body)).toMatchObject(response);
      };
      test.each([...rows])("$name is $status", check);
      test("the service is healthy afterwards", expectHealthy);
    });
  }

  expectAccepted("A valid read that looks invalid", reads);
  expectAccepted("A valid body that looks invalid", bodies);

  describe("A removed field", () => {
    test("named like a member of Object.prototype cannot be filtered on any more", async () => {
      const { id } = await users.create({ name: "Own", toString: "x" });
      await users.replace(id, { name: "Own" });
      for (const value of ["x", String(Object.prototype.toString)]) {
        const found = await users.list({ where: { toString: value } }).page({ count: true });
        expect(found).toEqual({ users: [], next: undefined, total: { count: 0, capped: false } });
      }
    });
  });

  describe("An idle caller", () => {
    test("is disconnected after the idle timeout, with or without an incomplete body, without an error in the log", async () => {
      const impatient = await startService({ idleTimeout: 1 }, engine);
      const post = "POST /api/users HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n";
      const requests: [request: string, statuses: number[]][] = [
        ["GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", [200]],
        [`${post}Content-Length: 50\r\n\r\n{`, [408]],
        [`${post}Content-Length: 100000\r\n\r\n{`, [413]],
        [`${post}Transfer-Encoding: chunked\r\n\r\nc\r\n{`, [408]],
      ];
      await Promise.all(
        requests.map(async ([request, statuses]) => {
          const { responses, closed } = await sendRaw(impatient.url, [request], {
            until: "close",
            withinMs: 15_000,
          });
          expect(responses.map(({ status }) => status)).toEqual(statuses);
          expect(closed).toBe(true);
          for (const { status, headers, body } of responses.filter((response) => response.status === 408)) {
            const fields = headers.map(([name, value]): [string, string] => [name, value]);
            const response = new Response(body, { status, headers: fields });
            const { type }: ProblemDocument = await (await conforming("POST", "/api/users", response)).json();
            expect([type, response.headers.get("connection")]).toEqual([
              "/problems/request-timeout",
              "close",
            ]);
          }
        }),
      );
      expect(await impatient.roster.users.list().all()).toEqual([]);
      expect(impatient.log.filter((line) => JSON.parse(line).level === "error")).toEqual([]);
      await impatient.stop();
    }, 120_000);
  });

  describe("A request without Host, with ROSTER_AUTH=off", () => {
    test("is served, like the HTTP/1.0 health checks of load balancers", async () => {
      const open = await startService({ auth: "off" }, engine);
      const heads = ["HTTP/1.0", "HTTP/1.1\r\nHost:"];
      const sending = heads.map((head) => sendRaw(open.url, [`GET /healthz ${head}\r\n\r\n`]));
      const statuses = (await Promise.all(sending)).map(({ responses }) => responses[0]?.status);
      await open.stop();
      expect(statuses).toEqual([200, 200]);
    });
  });
});
