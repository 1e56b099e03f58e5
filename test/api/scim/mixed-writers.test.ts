import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import Value from "typebox/value";
import { Event } from "../../../src/contract/events/event-schemas.ts";
import { isObject, type JsonObject } from "../../../src/contract/json.ts";
import { groupDocument } from "../../../src/scim/group-document.ts";
import { userDocument } from "../../../src/scim/user-document.ts";
import { NDJSON } from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { arbitraryStep, type MixedChange, type MixedRequest } from "./mixed/changes.ts";
import { findOrder, type Observed, predict } from "./mixed/history.ts";
import { MixedModel, type ModelEvent } from "./mixed/model.ts";
import { resolveDraft } from "./mixed/resolve-draft.ts";
import { send } from "./mixed/send.ts";
import { amountOf } from "./support/amount.ts";
import { type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(600_000);

const userList = "/api/users?limit=1000";
const groupList = "/api/groups?limit=1000";

/** The users and groups that each history begins with. */
const first: readonly MixedChange[] = [
  { kind: "api-create-user", record: { name: "Ada", email: "m0@x.example" } },
  { kind: "api-create-user", record: { name: "Nobody" } },
  { kind: "scim-post-user", body: { userName: "grace", name: { givenName: "Grace" } } },
  {
    kind: "scim-post-user",
    body: { userName: "m2@x.example", emails: [{ value: "m1@x.example", type: "work" }] },
  },
  { kind: "api-create-group", record: { name: "Board" } },
  { kind: "scim-post-group", body: { displayName: "Staff" } },
];

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  let requests = 0;
  /** The id of the last event that was read, and the last version of each subject. */
  let lastEvent = "";
  const versions = new Map<string, number>();
  /** Each record as it was seen last. */
  const seen = new Map<string, JsonObject>();
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
  });
  afterAll(() => service.stop());

  const readLines = async (path: string): Promise<JsonObject[]> => {
    const text = await (await service.api(path, { headers: { accept: NDJSON } })).text();
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line): JsonObject => JSON.parse(line));
  };
  const readList = async (path: string): Promise<JsonObject[]> => (await service.api(path)).json();
  const readResources = async (path: string): Promise<JsonObject[]> => {
    const { Resources = [], totalResults } = (await scim.expect(`GET ${path}`)).body;
    const resources = Array.isArray(Resources) ? Resources.filter(isObject) : [];
    expect(totalResults).toBe(resources.length);
    return resources;
  };

  /** The events since the last call, by request. Each has the next version of its subject. */
  async function readEvents(): Promise<Map<string, Event[]>> {
    const lines = await readLines(
      `/api/events?type=user.*&type=group.*${lastEvent && `&after=${lastEvent}`}`,
    );
    const byRequest = new Map<string, Event[]>();
    for (const line of lines) {
      const event = Value.Parse(Event, line);
      const { id, type, subject, version, requestId } = event;
      const key = `${subject.type}:${subject.id}`;
      const before = versions.get(key) ?? 0;
      expect([key, type, version]).toEqual([key, type, type.endsWith(".deleted") ? before : before + 1]);
      versions.set(key, version ?? 0);
      lastEvent = id;
      byRequest.set(String(requestId), [...(byRequest.get(String(requestId)) ?? []), event]);
    }
    return byRequest;
  }

  function toModelEvent({ type, subject, version, changes }: Event): ModelEvent {
    const { members }: { members?: { added: number[]; removed: number[] } } = changes;
    const event = { type, subject: `${subject.type}:${subject.id}`, version: version ?? 0 };
    if (!members) return event;
    const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);
    return { ...event, members: { added: sorted(members.added), removed: sorted(members.removed) } };
  }

  /** Sends the requests at the same time, and returns the model after them. */
  async function run(model: MixedModel, sent: readonly MixedRequest[]): Promise<MixedModel> {
    const numbered = sent.map((request) => ({ request, requestId: `mixed-${++requests}` }));
    model.begin();
    const outcomes = await Promise.all(
      numbered.map(({ request, requestId }) => send({ service, scim }, request, requestId)),
    );
    const events = await readEvents();
    const observed = numbered.map(({ request, requestId }, index): Observed => {
      const own = events.get(requestId) ?? [];
      const isScim = request.isBulk || request.changes.every(({ kind }) => kind.startsWith("scim"));
      for (const { actor } of own) expect(actor).toMatchObject({ type: "key", id: isScim ? scim.keyId : 0 });
      return { request, outcomes: outcomes[index] ?? [], events: own.map(toModelEvent) };
    });
    expect([...events.keys()].filter((id) => !numbered.some(({ requestId }) => requestId === id))).toEqual(
      [],
    );
    const [users, groups] = await Promise.all([readList(userList), readList(groupList)]);
    const records = { users: users.map(withoutTimes), groups: groups.map(withoutTimes) };
    const next = findOrder(model, observed, records);
    if (!next) {
      const details = { observed, records, before: model.records, predicted: predict(model, observed) };
      throw new Error(`No order of the changes does this: ${JSON.stringify(details)}`);
    }
    await expectSame(next, users, groups);
    return next;
  }

  /** SCIM shows these users and groups, with the members of the model. */
  async function expectSame(
    model: MixedModel,
    users: readonly JsonObject[],
    groups: readonly JsonObject[],
  ): Promise<void> {
    const [resources, groupResources, memberships] = await Promise.all([
      readResources("/Users?count=1000"),
      readResources("/Groups?count=1000"),
      readLines("/api/memberships/export"),
    ]);
    const locate = (path: string) => `${service.url}/scim/v2${path}`;
    expect(resources).toEqual(users.map((user) => userDocument(user, locate)));
    const membersOf = (id: number) => [...(model.groups.get(id)?.members ?? [])].sort((a, b) => a - b);
    expect(groupResources).toEqual(
      groups.map((group) => ({
        ...groupDocument(group, locate),
        members: membersOf(Number(group.id)).map((id) => ({
          ...{ value: String(id), $ref: locate(`/Users/${id}`), type: "User" },
        })),
      })),
    );
    const pairs = memberships.map(({ group, user }) => `${group}/${user}`).sort();
    expect(pairs).toEqual(
      [...model.groups.keys()].flatMap((id) => membersOf(id).map((user) => `${id}/${user}`)).sort(),
    );
    expectUnchanged("users", users);
    expectUnchanged("groups", groups);
  }

  /** A record with the same version is the same, with its times. */
  function expectUnchanged(kind: string, records: readonly JsonObject[]): void {
    for (const record of records) {
      const key = `${kind} ${record.id}`;
      const before = seen.get(key);
      if (before && before.version === record.version) expect(record).toEqual(before);
      seen.set(key, record);
    }
  }

  /** Reads of one user or group show what lists show. */
  async function expectReads(model: MixedModel): Promise<void> {
    const users = await readResources("/Users?count=1000");
    for (const user of users) expect((await scim.expect(`GET /Users/${user.id}`)).body).toEqual(user);
    for (const { id, groups = [] } of await readResources("/Users?attributes=groups&count=1000")) {
      const own = [...model.groups].filter(([, { members }]) => members.has(Number(id)));
      const found = [groups].flat().filter(isObject);
      expect(found.map(({ value }) => value).sort()).toEqual(own.map(([groupId]) => `g${groupId}`).sort());
    }
  }

  async function clear(): Promise<void> {
    await service
      .api("/api/users/bulk", { method: "POST", json: { filter: "name pr", delete: true } })
      .then((r) => r.text());
    for (const { id } of await readList(groupList)) {
      await service.api(`/api/groups/${id}`, { method: "DELETE" });
    }
    await readEvents();
  }

  test("both faces always show the same users and groups, and each change has one event", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryStep, { minLength: 1, maxLength: 16, size: "max" }),
        async (steps) => {
          await clear();
          let model = await run(
            new MixedModel(),
            first.map((change) => ({ isBulk: false, changes: [change] })),
          );
          for (const step of steps) {
            const before = model;
            const sent = step.map(({ isBulk, changes }) => ({
              isBulk,
              changes: changes.map((each) => resolveDraft(each, before)),
            }));
            model = await run(model, sent);
          }
          await expectReads(model);
        },
      ),
      amountOf(10),
    ));
});

function withoutTimes({ createdAt, updatedAt, ...record }: JsonObject): JsonObject {
  return record;
}
