import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import Type from "typebox";
import Value from "typebox/value";
import { Event } from "../../src/contract/events/event-schemas.ts";
import { scopes } from "../../src/contract/keys/key.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

const NDJSON = { accept: "application/x-ndjson" };

onEachEngine((engine) => {
  let service: TestService;
  let all: Event[];
  beforeAll(async () => {
    service = await startService({}, engine);
    const withId = (requestId: string) => ({ "x-request-id": requestId });
    await service.call("/api/users", {
      method: "POST",
      json: { name: "Ada", email: "ada@x.org" },
      headers: withId("create-1"),
    });
    await service.call("/api/users/1", {
      method: "PATCH",
      json: { email: "b@x.org", level: 2 },
      headers: withId("patch-1"),
    });
    await service.call("/api/users", { method: "POST", json: { name: "Grace" } });
    await service.call("/api/users/2", { method: "DELETE", headers: withId("delete-2") });
    const lines = Array.from({ length: 250 }, (_, i) => JSON.stringify({ name: `User ${i}` })).join("\n");
    const headers = { "content-type": "application/x-ndjson", ...withId("import-1") };
    await (await service.call("/api/users/import", { method: "POST", body: lines, headers })).text();
    all = await readLines("/api/events");
  }, 120_000);
  afterAll(() => service.stop());

  async function readLines(path: string): Promise<Event[]> {
    const response = await service.call(path, { headers: NDJSON });
    expect(response.status).toBe(200);
    const text = await response.text();
    return text === ""
      ? []
      : text
          .trimEnd()
          .split("\n")
          .map((line) => Value.Parse(Event, JSON.parse(line)));
  }

  async function readPage(path: string): Promise<{ events: Event[]; next: string | undefined }> {
    const response = await service.call(path);
    expect(response.status).toBe(200);
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    return { events: Value.Parse(Type.Array(Event), await response.json()), next };
  }

  async function readPages(path: string): Promise<Event[]> {
    const found: Event[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const page = await readPage(next);
      found.push(...page.events);
      next = page.next;
    }
    return found;
  }

  async function problemOf(path: string, headers: Record<string, string> = {}) {
    const response = await service.call(path, { headers });
    const { type, errors = [] }: { type: string; errors?: { parameter: string }[] } = await response.json();
    return [response.status, type.replace("/problems/", ""), ...errors.map(({ parameter }) => parameter)];
  }

  describe("GET /api/events", () => {
    test("200: tells who changed what in which request, oldest first", async () => {
      const { events } = await readPage("/api/events?limit=4");
      expect(events).toMatchObject([
        {
          type: "user.created",
          requestId: "create-1",
          subject: { type: "user", id: 1 },
          version: 1,
          changes: {},
        },
        {
          type: "user.updated",
          actor: { type: "anonymous" },
          requestId: "patch-1",
          version: 2,
          changes: { email: { from: "ada@x.org", to: "b@x.org" }, level: { to: 2 } },
          record: { id: 1, name: "Ada", email: "b@x.org", level: 2, version: 2 },
        },
        { type: "user.created" },
        { type: "user.deleted", requestId: "delete-2", version: 1, record: { id: 2, name: "Grace" } },
      ]);
      const user: object = await (await service.call("/api/users/1")).json();
      expect(events[1]?.record).toEqual(user);
    });

    test("200: every page links to the next one, and the last page has no link", async () => {
      expect(all).toHaveLength(254);
      expect(await readPages("/api/events?limit=100")).toEqual(all);
      expect(await readPages("/api/events?limit=37&sort=-id")).toEqual(all.toReversed());
      expect(await readLines("/api/events?sort=-id")).toEqual(all.toReversed());
      const ids = all.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted());
    });

    test("200: continues after an event", async () => {
      const [, second] = all;
      expect(await readLines(`/api/events?after=${second?.id}`)).toEqual(all.slice(2));
      expect(await readLines(`/api/events?after=${all.at(-1)?.id}`)).toEqual([]);
      expect((await readPage(`/api/events?after=${all.at(-1)?.id}`)).next).toBeUndefined();
      expect(await readLines("/api/events?after=00000000000")).toEqual(all);
    });

    test("200: finds events by type, subject, actor and time", async () => {
      const ofType = (type: string) => all.filter((event) => event.type === type);
      expect(await readPages("/api/events?type=user.updated")).toEqual(ofType("user.updated"));
      expect(await readPages("/api/events?type=user.updated&type=user.deleted")).toHaveLength(2);
      expect(await readPages("/api/events?type=user.*&limit=100")).toEqual(all);
      expect(await readPages("/api/events?type=key.*")).toEqual([]);
      expect(await readPages("/api/events?subject=user:1")).toHaveLength(2);
      expect(await readPages("/api/events?subject=key:1")).toEqual([]);
      expect(await readPages("/api/events?actor=anonymous&limit=100")).toEqual(all);
      expect(await readPages("/api/events?actor=key:0")).toEqual([]);
      const time = all[3]?.time ?? "";
      const [before, since] = [
        await readPages(`/api/events?to=${time}`),
        await readPages(`/api/events?from=${time}&limit=100`),
      ];
      expect([...before, ...since]).toEqual(all);
      expect(since.every((event) => event.time >= time)).toBe(true);
    });

    test("200: finds the events of one request, from page to page, and in a range", async () => {
      const ofRequest = (id: string) => all.filter(({ requestId }) => requestId === id);
      const imported = ofRequest("import-1");
      expect(imported).toHaveLength(250);
      const filter = "requestId=import-1";
      expect(await readPages(`/api/events?${filter}&limit=100`)).toEqual(imported);
      expect(await readPages(`/api/events?${filter}&limit=100&sort=-id`)).toEqual(imported.toReversed());
      expect(await readLines(`/api/events?${filter}`)).toEqual(imported);
      const [first, second] = imported;
      expect(await readLines(`/api/events?${filter}&after=${second?.id}`)).toEqual(imported.slice(2));
      expect(await readLines(`/api/events?${filter}&from=${first?.time}`)).toEqual(imported);
      expect(await readLines(`/api/events?${filter}&to=${first?.time}`)).toEqual([]);
      expect(await readPages(`/api/events?requestId=${encodeURIComponent("a+b=/c")}`)).toEqual([]);
      for (const id of ["create-1", "patch-1", "delete-2"])
        expect(await readPages(`/api/events?requestId=${id}`)).toEqual(ofRequest(id));
      expect(await readPages("/api/events?requestId=create")).toEqual([]);
      expect(await readPages("/api/users/1/events?requestId=patch-1")).toEqual(ofRequest("patch-1"));
      expect(await readPages("/api/users/1/events?requestId=import-1")).toEqual([]);
    });

    test("400 invalid-query: names every parameter that is not valid", async () => {
      const invalid = [
        ["after=1"],
        ["limit=0"],
        ["limit=101"],
        ["type=user"],
        ["type=team.created"],
        ["subject=user"],
        ["subject=user:0"],
        ["subject=user:1:2"],
        ["actor=3"],
        ["actor=key:-1"],
        ["requestId="],
        ["requestId=a+b"],
        ["requestId=a%20b"],
        [`requestId=${"a".repeat(129)}`],
        ["requestId=a&requestId=b"],
        ["from=yesterday"],
        ["to=2026-11-16"],
        ["sort=name"],
        ["q=ada"],
        ["limit=1&limit=2"],
      ];
      for (const [query = ""] of invalid) {
        const parameter = query.split("=")[0] ?? "";
        expect({ query, problem: await problemOf(`/api/events?${query}`) }).toEqual({
          query,
          problem: [400, "invalid-query", parameter],
        });
      }
      const types = Array.from({ length: 21 }, () => "type=user.*").join("&");
      expect(await problemOf(`/api/events?${types}`)).toEqual([400, "invalid-query", "type"]);
      expect(await problemOf("/api/events?limit=x&sort=x")).toEqual([400, "invalid-query", "limit", "sort"]);
    });

    test("406 not-acceptable: events have no other media types", async () => {
      expect(await problemOf("/api/events", { accept: "text/csv" })).toEqual([406, "not-acceptable"]);
    });

    test("410 events-expired: the service does not have the event in `after`", async () => {
      for (const id of ["00000000001", "zzzzzzzzzzz".replace(/^z/, "0"), "0000zzzzzzz"]) {
        expect(await problemOf(`/api/events?after=${id}`)).toEqual([410, "events-expired"]);
        expect(await problemOf(`/api/events?after=${id}`, NDJSON)).toEqual([410, "events-expired"]);
      }
    });

    test("200: HEAD has the headers of GET", async () => {
      for (const headers of [NDJSON, {}]) {
        const response = await service.call("/api/events", { method: "HEAD", headers });
        expect([response.status, await response.text()]).toEqual([200, ""]);
      }
    });
  });

  describe("GET /api/users/{id}/events", () => {
    test("200: has the history of one user, also of a deleted one", async () => {
      const history = (id: number) => all.filter(({ subject }) => subject.id === id);
      expect(await readPages("/api/users/1/events")).toEqual(history(1));
      expect(await readPages("/api/users/2/events?limit=1")).toEqual(history(2));
      expect(await readLines("/api/users/2/events?sort=-id")).toEqual(history(2).toReversed());
      expect(await readPages("/api/users/2/events?type=user.deleted")).toEqual(history(2).slice(1));
      expect(await readPages("/api/users/999999/events")).toEqual([]);
    });

    test("404 user-not-found: the id is not a number", async () => {
      expect(await problemOf("/api/users/x/events")).toEqual([404, "user-not-found"]);
    });

    test("400 invalid-query: the path has the subject", async () => {
      expect(await problemOf("/api/users/1/events?subject=user:1")).toEqual([
        400,
        "invalid-query",
        "subject",
      ]);
    });
  });

  test("events of keys have no secrets, and reading events needs the scope events:read", async () => {
    const { key }: { key: string } = await (
      await service.call("/api/keys", { method: "POST", json: { name: "first", scopes } })
    ).json();
    const created: { id: number; key: string } = await (
      await service.call("/api/keys", {
        method: "POST",
        json: { name: "reader", scopes: ["users:read"] },
        headers: bearer(key),
      })
    ).json();
    const response = await service.call("/api/events?type=key.*", { headers: bearer(key) });
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject([
      { type: "key.created", actor: { type: "anonymous" }, version: null, record: { name: "first" } },
      {
        type: "key.created",
        actor: { type: "key", id: 1, name: "first" },
        subject: { type: "key", id: created.id },
      },
    ]);
    expect(text).not.toContain(created.key);
    expect(await problemOf("/api/events", bearer(created.key))).toEqual([403, "insufficient-scope"]);
    expect(await problemOf("/api/users/1/events", bearer(created.key))).toEqual([403, "insufficient-scope"]);
  });
});
