import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { bearer, createFirstKey, startSession } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { startService, startServiceOn, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Follower, SSE } from "./support/follower.ts";

setDefaultTimeout(120_000);

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
    await create("Zero");
  });
  afterAll(() => service.stop());

  async function create(name: string, headers = {}): Promise<void> {
    expect((await service.call("/api/users", { method: "POST", json: { name }, headers })).status).toBe(201);
  }
  async function lastId(headers = {}): Promise<string> {
    const response = await service.call("/api/events?sort=-id&limit=1", { headers });
    const [event]: { id: string }[] = await response.json();
    return event?.id ?? "";
  }
  async function problemOf(path: string, headers: Record<string, string> = SSE) {
    const response = await service.call(path, { headers });
    const { type }: { type: string } = await response.json();
    return [response.status, type.replace("/problems/", "")];
  }

  describe("an event stream", () => {
    test("begins with the next event, and goes on", async () => {
      const follower = await Follower.open(service, "/api/events");
      await follower.waitUntil(({ text }) => text.startsWith("retry: 1000\nid: "));
      for (const name of ["One", "Two", "Three"]) await create(name);
      await follower.waitUntil(({ events }) => events.length === 3);
      expect(follower.names).toEqual(["One", "Two", "Three"]);
      expect(follower.text).not.toContain("event:");
      follower.close();
    });

    test("continues after an event, also with Last-Event-ID", async () => {
      const after = await lastId();
      await create("Four");
      await create("Five");
      const byQuery = await Follower.open(service, `/api/events?after=${after}`);
      const byHeader = await Follower.open(service, "/api/events?after=00000000001", {
        "last-event-id": after,
      });
      await create("Six");
      for (const follower of [byQuery, byHeader]) {
        await follower.waitUntil(({ events }) => events.length === 3);
        expect(follower.names).toEqual(["Four", "Five", "Six"]);
        follower.close();
      }
    });

    test("of a user has the changes of members that name it, also those that are stored already", async () => {
      const put = (path: string) => service.call(path, { method: "PUT" });
      const send = async (path: string, name: string): Promise<{ id: number }> =>
        (await service.call(path, { method: "POST", json: { name } })).json();
      const [ada, grace] = [await send("/api/users", "Ada"), await send("/api/users", "Grace")];
      const [first, second] = [await send("/api/groups", "First"), await send("/api/groups", "Second")];
      const after = await lastId();
      await put(`/api/groups/${first.id}/members/${ada.id}`);
      await put(`/api/groups/${first.id}/members/${grace.id}`);
      const follower = await Follower.open(service, `/api/users/${ada.id}/events?after=${after}`);
      await follower.waitUntil(({ events }) => events.length === 1);
      await put(`/api/groups/${second.id}/members/${grace.id}`);
      await put(`/api/groups/${second.id}/members/${ada.id}`);
      await service.call(`/api/users/${ada.id}`, { method: "DELETE" });
      await follower.waitUntil(({ events }) => events.length === 5);
      expect(follower.events.map(({ type, record }) => `${type} ${record.name}`)).toEqual([
        ...["group.members_changed First", "group.members_changed Second", "user.deleted Ada"],
        ...["group.members_changed First", "group.members_changed Second"],
      ]);
      follower.close();
    });

    test("resumes at the id that it sent before the first event", async () => {
      const first = await Follower.open(service, "/api/events?type=key.*");
      await first.waitUntil(({ text }) => text.includes("\n\n"));
      first.close();
      const id = /^id: (\S+)$/m.exec(first.text)?.[1] ?? "";
      await create("Missed");
      const second = await Follower.open(service, "/api/events", { "last-event-id": id });
      await second.waitUntil(({ events }) => events.length === 1);
      expect(second.names).toEqual(["Missed"]);
      second.close();
    });

    test("has the events of a filter only, and of one user", async () => {
      const deleted = await Follower.open(service, "/api/events?type=user.deleted");
      const ofFirst = await Follower.open(service, "/api/users/1/events");
      const ofRequest = await Follower.open(service, "/api/events?requestId=followed");
      await create("Other", { "x-request-id": "followed" });
      await service.call("/api/users/1", { method: "PATCH", json: { name: "Changed" } });
      await service.call("/api/users/2", { method: "DELETE" });
      for (const follower of [deleted, ofFirst, ofRequest])
        await follower.waitUntil(({ events }) => events.length === 1);
      await create("Last");
      expect(ofFirst.names).toEqual(["Changed"]);
      expect(deleted.events.map(({ type }) => type)).toEqual(["user.deleted"]);
      expect(ofRequest.names).toEqual(["Other"]);
      for (const follower of [deleted, ofFirst, ofRequest]) follower.close();
    });

    test("has every event of many followers, under load", async () => {
      const after = await lastId();
      const followers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          Follower.open(service, `/api/events${i % 2 ? `?after=${after}` : ""}`),
        ),
      );
      for (const follower of followers) await follower.waitUntil(({ text }) => text !== "");
      const names = Array.from({ length: 300 }, (_, i) => `Load ${i}`);
      await Promise.all(names.map((name) => create(name)));
      for (const follower of followers)
        await follower.waitUntil(({ events }) => events.length >= names.length);
      const [first] = followers;
      for (const follower of followers) {
        expect(follower.events).toEqual(first?.events ?? []);
        expect(new Set(follower.names)).toEqual(new Set(names));
        follower.close();
      }
    });

    test("is rejected with a reason before it begins", async () => {
      expect(await problemOf("/api/events?sort=-id")).toEqual([400, "invalid-query"]);
      expect(await problemOf("/api/events?to=2026-01-01T00:00:00Z")).toEqual([400, "invalid-query"]);
      expect(await problemOf("/api/events?wait=1")).toEqual([400, "invalid-query"]);
      expect(await problemOf("/api/events", { ...SSE, "last-event-id": "1" })).toEqual([
        400,
        "invalid-header",
      ]);
      expect(await problemOf("/api/events", { "last-event-id": "" })).toEqual([400, "invalid-header"]);
      expect(await problemOf("/api/events?after=00000000001")).toEqual([410, "events-expired"]);
      const head = await service.call("/api/events", { method: "HEAD", headers: SSE });
      expect(head.status).toBe(200);
    });
  });

  describe("wait", () => {
    const waitFor = async (query: string, headers = {}) => {
      const response = await service.call(`/api/events?${query}`, { headers });
      const events: { record: { name: string } }[] = await response.json();
      return events.map(({ record }) => record.name);
    };

    test("returns the next event", async () => {
      const after = await lastId();
      const waiting = waitFor(`after=${after}&wait=60`);
      const ofType = waitFor(`after=${after}&wait=60&type=user.created`);
      const ofRequest = waitFor(`after=${after}&wait=60&requestId=awaited`);
      await create("Awaited", { "x-request-id": "awaited" });
      for (const names of await Promise.all([waiting, ofType, ofRequest])) expect(names).toEqual(["Awaited"]);
    });

    test("returns existing events at once, and none if the time is over", async () => {
      const after = await lastId();
      await create("Existing");
      expect(await waitFor(`after=${after}&wait=60`)).toEqual(["Existing"]);
      const start = service.clock.monotonic();
      const waiting = waitFor(`after=${await lastId()}&wait=1`);
      expect(await service.clock.skipTo(waiting)).toEqual([]);
      expect(service.clock.monotonic() - start).toBeGreaterThanOrEqual(1000);
    });
  });

  test("a list of users has an event after which nothing is missed", async () => {
    for (let i = 0; i < 5; i++) {
      const creating = create(`Between ${i}`);
      const response = await service.call("/api/users?limit=100&sort=-id");
      const listed: { id: number }[] = await response.json();
      await creating;
      const after = response.headers.get("roster-event");
      const following = await service.call(`/api/events?limit=100&after=${after}&type=user.created`);
      const events: { subject: { id: number } }[] = await following.json();
      const known = new Set([...listed, ...events.map(({ subject }) => subject)].map(({ id }) => id));
      const all: { id: number }[] = await (await service.call("/api/users?limit=100&sort=-id")).json();
      expect(all.filter(({ id }) => !known.has(id))).toEqual([]);
    }
    const exported = await service.call("/api/users/export");
    expect(exported.headers.get("roster-event")).toMatch(/^[0-9a-z]{11}$/);
    await exported.text();
  });

  test("a stream ends when its key is revoked, and when the first key makes keys required", async () => {
    const open = await Follower.open(service, "/api/events");
    const key = await createFirstKey(service);
    await until(() => open.isEnded);
    const reader: { id: number; key: string } = await (
      await service.call("/api/keys", {
        method: "POST",
        json: { name: "reader", scopes: ["events:read"] },
        headers: bearer(key),
      })
    ).json();
    const follower = await Follower.open(service, "/api/events", bearer(reader.key));
    const waiting = service.call(`/api/events?wait=60&after=${await lastId(bearer(key))}`, {
      headers: bearer(reader.key),
    });
    await create("Before", bearer(key));
    await follower.waitUntil(({ names }) => names.includes("Before"));
    await (await waiting).text();
    await service.call(`/api/keys/${reader.id}`, { method: "DELETE", headers: bearer(key) });
    await until(() => follower.isEnded);
  });

  test("a stream ends when its session signs out, also on another node", async () => {
    const database = await databaseOn(engine);
    const nodes = [await startServiceOn(database.url), await startServiceOn(database.url)] as const;
    const key = await createFirstKey(nodes[0]);
    for (const node of nodes) {
      const session = await startSession(nodes[0], key);
      const follower = await Follower.open(node, "/api/events", session);
      const waiting = node.call("/api/events?wait=60&type=user.deleted", { headers: session });
      await nodes[0].call("/api/users", { method: "POST", json: { name: "Before" }, headers: bearer(key) });
      await follower.waitUntil(({ names }) => names.includes("Before"));
      await nodes[0].call("/api/session", { method: "DELETE", headers: session });
      await until(() => follower.isEnded);
      expect(await (await waiting).json()).toEqual([]);
    }
    for (const node of nodes) await node.stop();
    await database.drop();
  });

  test("streams end before the service has stopped", async () => {
    // A stream that did not end would hold the service until the grace period is over, and be cut off.
    const stopping = await startService({ shutdownGrace: 3600 }, engine);
    const follower = await Follower.open(stopping, "/api/events");
    await stopping.stop();
    await until(() => follower.isEnded);
  });
});
