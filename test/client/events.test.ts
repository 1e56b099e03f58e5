import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ApiError, type Client, createClient, type RosterEvent } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { restoreClock, skipDelays } from "./support/clock.ts";
import { json, quietClient, startServer, stopServers } from "./support/servers.ts";

setDefaultTimeout(60_000);

let service: TestService;
let roster: Client<{ level?: number }>;

beforeAll(async () => {
  service = await startService();
  roster = createClient({ baseUrl: service.url, retries: 0 });
  for (let i = 1; i <= 5; i++) await roster.users.create({ name: `User ${i}` });
  await roster.users.update(1, { level: 2 });
  await roster.users.delete(2);
});
afterAll(() => service.stop());
afterEach(restoreClock);
afterEach(stopServers);

const typesOf = (events: readonly RosterEvent<{ level?: number }>[]) => events.map(({ type }) => type);

describe("events.list", () => {
  test("gets all events in order, from all pages", async () => {
    const created = Array.from({ length: 5 }, () => "user.created" as const);
    expect(typesOf(await roster.events.list({ limit: 2 }).all())).toEqual([
      ...created,
      "user.updated",
      "user.deleted",
    ]);
    expect(typesOf(await roster.events.list({ sort: "-id", limit: 3 }).all())).toEqual([
      "user.deleted",
      "user.updated",
      ...created,
    ]);
    const { events, next } = await roster.events.list({ limit: 6 }).page();
    expect([events.length, next]).toEqual([6, events[5]?.id]);
    expect(typesOf(await roster.events.list({ ...(next && { after: next }) }).all())).toEqual([
      "user.deleted",
    ]);
  });

  test("filters by type, subject, actor and time, and types narrow the record", async () => {
    const [updated] = await roster.events.list({ type: "user.updated" }).all();
    if (updated?.type !== "user.updated") throw new Error("There is no update.");
    expect(updated.record?.level).toBe(2);
    expect(updated.changes).toEqual({ level: { to: 2 } });
    expect(await roster.events.list({ type: ["user.deleted", "user.updated"] }).all()).toHaveLength(2);
    expect(await roster.events.list({ type: [] }).all()).toEqual([]);
    expect(await roster.events.list({ subject: "user:1" }).all()).toHaveLength(2);
    expect(await roster.events.list({ actor: "key:1" }).all()).toEqual([]);
    const { requestId } = updated;
    expect(await roster.events.list({ requestId: requestId ?? "" }).all()).toEqual([updated]);
    // The characters that a query string has to encode.
    expect(await roster.events.list({ requestId: "a+b=/c:d" }).all()).toEqual([]);
    const time = new Date(updated.time);
    const since = await roster.events.list({ from: time }).all();
    const before = await roster.events.list({ to: updated.time }).all();
    expect(before.length + since.length).toBe(7);
    expect(since.map(({ id }) => id)).toContain(updated.id);
  });
});

describe("events.follow", () => {
  /** Reads this many events. */
  async function take(events: AsyncIterable<RosterEvent<{ level?: number }>>, count: number) {
    const taken: RosterEvent<{ level?: number }>[] = [];
    for await (const event of events) if (taken.push(event) === count) break;
    return taken;
  }

  test("yields what happens after the last event, or after a given one", async () => {
    const after = await roster.events.last();
    const following = take(roster.events.follow({ after }), 2);
    const filtered = take(roster.events.follow({ after, type: "user.updated" }), 1);
    await roster.users.create({ name: "Followed" });
    await roster.users.update(1, { level: 3 });
    expect(typesOf(await following)).toEqual(["user.created", "user.updated"]);
    expect(typesOf(await filtered)).toEqual(["user.updated"]);
    expect(await take(roster.events.follow({ after: "00000000000" }), 7)).toHaveLength(7);
  });

  test("yields the history of one user, with the members of groups", async () => {
    const change = (method: string, path: string, json?: object) => service.call(path, { method, json });
    const { id } = await roster.users.create({ name: "Member" });
    const created = await change("POST", "/api/groups", { name: "Followed" });
    const group: { id: number } = await created.json();
    const after = await roster.events.last();
    const following = take(roster.events.follow({ after, user: id }), 3);
    await change("PUT", `/api/groups/${group.id}/members/1`);
    await change("PUT", `/api/groups/${group.id}/members/${id}`);
    await roster.users.update(id, { level: 1 });
    await change("DELETE", `/api/groups/${group.id}/members/${id}`);
    expect(typesOf(await following)).toEqual([
      ...(["group.members_changed", "user.updated", "group.members_changed"] as const),
    ]);
    const { events } = await roster.events.list({ user: id, after }).page();
    expect(events).toEqual(await following);
    const memberships = roster.events.list({ user: id, type: "group.*", sort: "-id", limit: 1 });
    expect(await memberships.all()).toEqual([events[2], events[0]].flatMap((event) => event ?? []));
    await roster.users.delete(id);
  });

  test("goes on after lost connections, without a missing or repeated event", async () => {
    const delays = skipDelays();
    let [requests, lost] = [0, 0];
    const unreliable = createClient({
      baseUrl: service.url,
      retries: 0,
      fetch: async (request) => {
        // After each response, more connections are lost than before: one, then two, then three.
        if (lost > 0) {
          lost--;
          throw new TypeError("The connection was lost.");
        }
        lost = ++requests;
        return fetch(request);
      },
    });
    const after = await roster.events.last();
    const following = unreliable.events.follow({ after });
    const events: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await roster.users.create({ name: `Unreliable ${i}` });
      events.push((await following.next()).value);
    }
    await following.return();
    expect(events).toEqual(await roster.events.list({ after }).all());
    expect(requests).toBe(3);
    expect(delays).toEqual([500, 500, 1000]);
  });

  test("waits longer after each failure, up to 30 seconds", async () => {
    const delays = skipDelays();
    const controller = new AbortController();
    const unreachable = createClient({
      retries: 0,
      fetch: () => {
        if (delays.length === 8) controller.abort("enough");
        throw new TypeError("The connection was lost.");
      },
    });
    const { signal } = controller;
    const error = await take(unreachable.events.follow({ after: "00000000000", signal }), 1).catch(String);
    expect(error).toBe("enough");
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test("ends with the reason of the signal, also while it waits", async () => {
    const controller = new AbortController();
    const { url, seen } = await startServer(json([]), "silence");
    const following = take(quietClient(url).events.follow({ signal: controller.signal }), 1);
    await until(() => seen[1]?.target.includes("wait="));
    controller.abort(new Error("enough"));
    expect(await following.catch(String)).toBe("Error: enough");
  });

  test("rejects an empty list of types", async () => {
    const error = await take(roster.events.follow({ type: [] }), 1).catch(String);
    expect(error).toContain("An empty list of types");
  });

  test("throws if events are missing after `after`", async () => {
    const error = await take(roster.events.follow({ after: "00000000001" }), 1).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect([error.status, error.type]).toEqual([410, "events-expired"]);
  });
});
