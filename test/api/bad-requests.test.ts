import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { User, Users } from "../../src/client/index.ts";
import type { ProblemDocument } from "../../src/contract/problems.ts";
import { conforming } from "../support/conformance.ts";
import { onEachEngine } from "../support/engines.ts";
import { sendRaw } from "../support/raw-http.ts";
import { startService, type TestService } from "../support/service.ts";
import { badChunks, badSizes, badTypes } from "./bad-requests/bad-bodies.ts";
import { accepts, badHosts, idempotencyKeys, preconditions } from "./bad-requests/bad-headers.ts";
import { badJson, badUtf8 } from "./bad-requests/bad-json.ts";
import { ids, paths, wrongMethods } from "./bad-requests/bad-paths.ts";
import { queries } from "./bad-requests/bad-queries.ts";
import { type BadRequest, fixture, otherUser, usedKey, withEveryMethod } from "./bad-requests/bad-request.ts";
import {
  badEmails,
  badFields,
  badForMethod,
  badNames,
  badValues,
  deepBodies,
  notObjects,
} from "./bad-requests/bad-users.ts";
import { expectProblem, sendChecked } from "./bad-requests/expect-problem.ts";
import {
  badFraming,
  badHeaderLines,
  badRequestLines,
  type UnparsableRequest,
} from "./bad-requests/rejected-by-bun.ts";
import { bodies, reads, type ValidRequest } from "./bad-requests/valid-requests.ts";

onEachEngine((engine) => {
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

  function refuses(title: string, rows: readonly BadRequest[]): void {
    describe(title, () => {
      test.each(rows.map((row) => ({ ...row, ...row.expected })))(
        "$name is refused as $status $type",
        async (row) => await expectProblem(service, row),
      );
      test("after all that the service is well and no user has changed", async () => {
        await expectHealthy();
        expect(await directory()).toEqual(before);
      });
    });
  }

  refuses("A body that is not UTF-8", withEveryMethod(badUtf8));
  refuses("A body that is not JSON", withEveryMethod(badJson));
  refuses("A body that is not an object", withEveryMethod(notObjects));
  refuses("A body that is nested past all reason", withEveryMethod(deepBodies));
  refuses("A bad name", withEveryMethod(badNames));
  refuses("A bad email", withEveryMethod(badEmails));
  refuses("A bad field", withEveryMethod(badFields));
  refuses("A bad value", withEveryMethod(badValues));
  refuses("A body that is bad by its method", badForMethod);
  refuses("A body of the wrong type", badTypes);
  refuses("A body that is too large", badSizes);
  refuses("A body that is empty or in bad chunks", badChunks);
  refuses("A bad id", ids);
  refuses("A path that leads nowhere", paths);
  refuses("A method that the path does not take", wrongMethods);
  refuses("A bad query", queries);
  refuses("A bad If-Match", preconditions);
  refuses("A bad Idempotency-Key", idempotencyKeys);
  refuses("A bad Accept", accepts);
  refuses("A bad Host", badHosts);

  function breaksOff(title: string, rows: readonly UnparsableRequest[]): void {
    describe(title, () => {
      test.each([...rows])("$name is answered by $status, and the connection is closed", async (row) => {
        const host = `Host: ${new URL(service.url).host}`;
        const pieces = row.pieces.map((piece) =>
          typeof piece === "string" ? piece.replace("HOST", host) : piece,
        );
        const { responses, closed } = await sendRaw(service.url, pieces, {
          until: "close",
          hangUp: row.hangUp ?? false,
        });
        const expected = [row.before ?? [], row.status === "none" ? [] : row.status].flat();
        expect(responses.map(({ status }) => status)).toEqual(expected);
        expect(closed).toBe(true);
        const last = responses[row.before ? 1 : 0];
        expect(last?.body ?? "").toBe("");
        expect(last?.headers.map(([name]) => name) ?? []).not.toContain("set-cookie");
      });
      test("after all that the service is well and no user has changed", async () => {
        await expectHealthy();
        expect(await directory()).toEqual(before);
      });
    });
  }

  describe("A HEAD that is refused", () => {
    const host = "Host: 127.0.0.1";
    test.each([
      { path: "/api/users/0", headers: host, status: 404 },
      { path: "/api/users?limit=0", headers: host, status: 400 },
      { path: "/nowhere", headers: host, status: 404 },
      { path: "/healthz", headers: `${host}\r\nAccept: text/html`, status: 406 },
      { path: "/api/users", headers: "Host: evil.com", status: 421 },
    ])("of $path is answered by $status and no body", async ({ path, headers, status }) => {
      const requests = [
        `HEAD ${path} HTTP/1.1\r\n${headers}\r\n\r\n`,
        `GET /healthz HTTP/1.1\r\n${host}\r\n\r\n`,
      ];
      const { responses } = await sendRaw(service.url, requests, { until: 2, head: true });
      expect(responses.map((answer) => answer.status)).toEqual([status, 200]);
      expect(responses[0]?.headers).toContainEqual(["content-type", "application/problem+json"]);
    });
  });

  breaksOff("A request line that Bun's parser refuses", badRequestLines);
  breaksOff("A header that Bun's parser refuses", badHeaderLines);
  breaksOff("A body whose length Bun's parser refuses", badFraming);

  function serves(title: string, rows: readonly ValidRequest[]): void {
    describe(title, () => {
      test.each([...rows])("$name is answered by $status", async ({ sent, status, answer = {} }) => {
        const { body, ...rest } = await sendChecked(service, sent);
        expect(rest.status).toBe(status);
        if (Array.isArray(answer)) expect(JSON.parse(body)).toEqual(answer);
        else expect(JSON.parse(body)).toMatchObject(answer);
      });
      test("after all that the service is well", expectHealthy);
    });
  }

  serves("A read that is not bad after all", reads);
  serves("A body that is not bad after all", bodies);

  describe("What a record leaves behind", () => {
    test("A field named as a member of every object is gone after a PUT without it", async () => {
      const { id } = await users.create({ name: "Own", toString: "x" });
      await users.replace(id, { name: "Own" });
      for (const value of ["x", String(Object.prototype.toString)]) {
        const found = await users.list({ where: { toString: value } }).page({ count: true });
        expect(found).toEqual({ users: [], next: undefined, total: { count: 0, capped: false } });
      }
    });
  });

  describe("A caller that falls silent", () => {
    test("is let go after the idle time-out, with a body under way or none, and leaves no error", async () => {
      const impatient = await startService({ idleTimeout: 1 }, engine);
      const post = "POST /api/users HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n";
      const silences: [request: string, statuses: number[]][] = [
        ["GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", [200]],
        [`${post}Content-Length: 50\r\n\r\n{`, [408]],
        [`${post}Content-Length: 100000\r\n\r\n{`, [413]],
        [`${post}Transfer-Encoding: chunked\r\n\r\nc\r\n{`, [408]],
      ];
      await Promise.all(
        silences.map(async ([request, statuses]) => {
          const { responses, closed } = await sendRaw(impatient.url, [request], {
            until: "close",
            withinMs: 15_000,
          });
          expect(responses.map(({ status }) => status)).toEqual(statuses);
          expect(closed).toBe(true);
          for (const { status, headers, body } of responses.filter((answer) => answer.status === 408)) {
            const fields = headers.map(([name, value]): [string, string] => [name, value]);
            const answer = new Response(body, { status, headers: fields });
            const { type }: ProblemDocument = await (await conforming("POST", "/api/users", answer)).json();
            expect([type, answer.headers.get("connection")]).toEqual(["/problems/request-timeout", "close"]);
          }
        }),
      );
      expect(await impatient.roster.users.list().all()).toEqual([]);
      expect(impatient.log.filter((line) => JSON.parse(line).level === "error")).toEqual([]);
      await impatient.stop();
    }, 120_000);
  });

  describe("A request that names no host, where any host will do", () => {
    test("finds its path all the same, as a load balancer's HTTP/1.0 does that asks for /healthz", async () => {
      const open = await startService({ auth: "off" }, engine);
      const heads = ["HTTP/1.0", "HTTP/1.1\r\nHost:"];
      const asked = heads.map((head) => sendRaw(open.url, [`GET /healthz ${head}\r\n\r\n`]));
      const statuses = (await Promise.all(asked)).map(({ responses }) => responses[0]?.status);
      await open.stop();
      expect(statuses).toEqual([200, 200]);
    });
  });
});
