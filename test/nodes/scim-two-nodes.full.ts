import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { isObject, type JsonObject } from "../../src/contract/json.ts";
import { urns } from "../../src/scim/attributes.ts";
import { amountOf } from "../api/scim/support/amount.ts";
import { createScimKey, patchOf, type ScimCaller } from "../api/scim/support/scim-caller.ts";
import { NDJSON } from "../support/bulk-requests.ts";
import type { Call } from "../support/call.ts";
import { bearer } from "../support/credentials.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import type { Roster } from "../support/process/roster.ts";
import { apiKey, databases, startTwoNodes, type TwoNodes } from "./support/key-nodes.ts";

setDefaultTimeout(600_000);
startPostgresBeforeTests();

const MOST_REQUESTS = 40;
const MEETINGS = 30;

/** A node as the two faces. */
interface Faces {
  readonly scim: ScimCaller;
  readonly api: Call;
}

/**
 * Requests of a kind that change something of their own each, named by `index`. So all of them have their effect, in whatever order
 * they are made.
 */
interface Kind {
  send(faces: Faces, id: string, index: number): Promise<number>;
  /** How many versions, and events, each request adds. */
  readonly versions: number;
  /** What a document has before, and after: custom fields, and values of lists. */
  readonly before?: Effect;
  readonly after: Effect;
}
type Effect = "field" | "value" | "both" | "nothing";

const field = (index: number) => `field${index}`;
const patching =
  (path: string, operations: (index: number) => readonly object[]): Kind["send"] =>
  async ({ scim }, id, index) =>
    (await scim.send(`PATCH ${path}/${id}`, patchOf(...operations(index)))).status;

const setField = (urn: string) => (index: number) => ({
  op: "add",
  path: `${urn}:${field(index)}`,
  value: index,
});

const userKinds: Readonly<Record<string, Kind>> = {
  field: {
    versions: 1,
    after: "field",
    send: patching("/Users", (index) => [setField(urns.rosterUser)(index)]),
  },
  "field through the API": {
    versions: 1,
    after: "field",
    send: async ({ api }, id, index) =>
      (await api(`/api/users/${id}`, { method: "PATCH", json: { [field(index)]: index } })).status,
  },
  "the same field": {
    versions: 0,
    before: "field",
    after: "field",
    send: patching("/Users", (index) => [setField(urns.rosterUser)(index)]),
  },
  "new role": {
    versions: 1,
    after: "value",
    send: patching("/Users", (index) => [{ op: "add", path: "roles", value: [{ value: String(index) }] }]),
  },
  "new email": {
    versions: 1,
    after: "value",
    send: patching("/Users", (index) => [
      { op: "add", path: "emails", value: [{ value: `${index}@x.example` }] },
    ]),
  },
  "removed role": {
    versions: 1,
    before: "value",
    after: "nothing",
    send: patching("/Users", (index) => [{ op: "remove", path: `roles[value eq "${index}"]` }]),
  },
  "field and role": {
    versions: 1,
    after: "both",
    send: patching("/Users", (index) => [
      setField(urns.rosterUser)(index),
      { op: "add", value: { roles: { value: String(index) } } },
    ]),
  },
  "field and role in bulk": {
    versions: 2,
    after: "both",
    send: async ({ scim }, id, index) => {
      const data = [setField(urns.rosterUser)(index), { op: "add", path: "roles", value: String(index) }].map(
        (each) => patchOf(each),
      );
      return sendBulk(scim, `/Users/${id}`, data);
    },
  },
};

const value = (index: number) => members[index] ?? "";
const addMember = (index: number) => ({ op: "add", path: "members", value: [{ value: value(index) }] });
const memberThroughApi =
  (method: string): Kind["send"] =>
  async ({ api }, id, index) =>
    (await api(`/api/groups/${id.slice(1)}/members/${value(index)}`, { method })).status;

const groupKinds: Readonly<Record<string, Kind>> = {
  field: {
    versions: 1,
    after: "field",
    send: patching("/Groups", (index) => [setField(urns.rosterGroup)(index)]),
  },
  "field through the API": {
    versions: 1,
    after: "field",
    send: async ({ api }, id, index) =>
      (await api(`/api/groups/${id.slice(1)}`, { method: "PATCH", json: { [field(index)]: index } })).status,
  },
  "new member": { versions: 1, after: "value", send: patching("/Groups", (index) => [addMember(index)]) },
  "the same member": {
    versions: 0,
    before: "value",
    after: "value",
    send: patching("/Groups", (index) => [addMember(index)]),
  },
  "new member and field": {
    versions: 2,
    after: "both",
    send: patching("/Groups", (index) => [addMember(index), setField(urns.rosterGroup)(index)]),
  },
  "removed member": {
    versions: 1,
    before: "value",
    after: "nothing",
    send: patching("/Groups", (index) => [{ op: "remove", path: `members[value eq "${value(index)}"]` }]),
  },
  "removed member in a list": {
    versions: 1,
    before: "value",
    after: "nothing",
    send: patching("/Groups", (index) => [
      { op: "Remove", path: "members", value: [{ value: value(index) }] },
    ]),
  },
  "new member through the API": { versions: 1, after: "value", send: memberThroughApi("PUT") },
  "removed member through the API": {
    versions: 1,
    before: "value",
    after: "nothing",
    send: memberThroughApi("DELETE"),
  },
  "field and member in bulk": {
    versions: 2,
    after: "both",
    send: ({ scim }, id, index) =>
      sendBulk(scim, `/Groups/${id}`, [
        patchOf(setField(urns.rosterGroup)(index)),
        patchOf(addMember(index)),
      ]),
  },
};

/** The status, if all operations succeed. */
async function sendBulk(scim: ScimCaller, path: string, data: readonly object[]): Promise<number> {
  const Operations = data.map((each) => ({ method: "PATCH", path, data: each }));
  const { status, body } = await scim.send("POST /Bulk", { Operations });
  const statuses = [body.Operations].flat().map((outcome) => Number(Object(outcome).status));
  return Math.max(status, ...statuses);
}

/** Requests that are sent at the same time, and the node that gets each. */
const requestsOf = (kinds: Readonly<Record<string, Kind>>) =>
  fc.array(fc.record({ kind: fc.constantFrom(...Object.keys(kinds)), node: fc.nat(1) }), {
    minLength: 10,
    maxLength: MOST_REQUESTS,
    size: "max",
  });

let nodes: TwoNodes;
let faces: readonly [Faces, Faces];
let members: readonly string[];
let created = 0;

beforeAll(async () => {
  nodes = await startTwoNodes(databases[0].open);
  const connect = async (node: Roster): Promise<Faces> => {
    const api: Call = (path, request) =>
      node.call(path, { ...request, headers: { ...request?.headers, ...bearer(apiKey) } });
    return { api, scim: await createScimKey(node, api) };
  };
  faces = [await connect(nodes.one), await connect(nodes.two)];
  const [{ scim }] = faces;
  members = await Promise.all(
    Array.from({ length: MOST_REQUESTS }, (_, index) =>
      scim.create("/Users", { userName: `member-${index}` }),
    ),
  );
});
afterAll(() => nodes.stop());

/** The versions in the events of a subject. */
async function readVersions(subject: string): Promise<number[]> {
  const headers = { accept: NDJSON };
  const text = await (await faces[1].api(`/api/events?subject=${subject}`, { headers })).text();
  return text
    .trim()
    .split("\n")
    .map((line): number => JSON.parse(line).version);
}

const upTo = (version: number) => Array.from({ length: version }, (_, index) => index + 1);
const valuesOf = (list: unknown) =>
  [list ?? []].flat().map((entry) => (isObject(entry) ? String(entry.value) : ""));

type Requests = readonly { readonly kind: string; readonly node: number }[];

/** The custom fields and the values of requests with these effects. */
function effects(
  requests: Requests,
  effectOf: (kind: string) => Effect | undefined,
  textOf: (index: number) => string,
) {
  const having = (effect: Effect) =>
    [...requests.keys()].filter((index) =>
      [effect, "both"].includes(effectOf(requests[index]?.kind ?? "") ?? "nothing"),
    );
  const fields: JsonObject = Object.fromEntries(having("field").map((index) => [field(index), index]));
  return { fields, values: having("value").map(textOf).sort() };
}

test("patches of one user through both nodes, beside patches through the API, are all kept", () =>
  fc.assert(
    fc.asyncProperty(requestsOf(userKinds), async (requests) => {
      const [one, two] = faces;
      const before = effects(requests, (kind) => userKinds[kind]?.before, String);
      const id = await one.scim.create("/Users", {
        userName: `user-${created++}`,
        roles: before.values,
        [urns.rosterUser]: before.fields,
      });
      const statuses = await Promise.all(
        requests.map(({ kind, node }, index) => userKinds[kind]?.send(faces[node] ?? one, id, index)),
      );
      expect(statuses).toEqual(requests.map(() => 200));
      const { body } = await two.scim.expect(`GET /Users/${id}`);
      const after = effects(requests, (kind) => userKinds[kind]?.after, String);
      expect(body[urns.rosterUser] ?? {}).toEqual(after.fields);
      const emails = valuesOf(body.emails).map((email) => email.split("@")[0]);
      expect([...valuesOf(body.roles), ...emails].sort()).toEqual(after.values);
      const versions = requests.reduce((sum, { kind }) => sum + (userKinds[kind]?.versions ?? 0), 1);
      expect(body.meta).toMatchObject({ version: `W/"${versions}"` });
      expect(await readVersions(`user:${id}`)).toEqual(upTo(versions));
    }),
    amountOf(6),
  ));

test("patches of one group and its members through both nodes, beside changes through the API, are all kept", () =>
  fc.assert(
    fc.asyncProperty(requestsOf(groupKinds), async (requests) => {
      const [one, two] = faces;
      const before = effects(requests, (kind) => groupKinds[kind]?.before, value);
      const id = await one.scim.create("/Groups", {
        displayName: `Group ${created++}`,
        members: before.values,
        [urns.rosterGroup]: before.fields,
      });
      const statuses = await Promise.all(
        requests.map(({ kind, node }, index) => groupKinds[kind]?.send(faces[node] ?? one, id, index)),
      );
      for (const status of statuses) expect([200, 204]).toContain(status ?? 0);
      const { body } = await two.scim.expect(`GET /Groups/${id}`);
      const after = effects(requests, (kind) => groupKinds[kind]?.after, value);
      expect(body[urns.rosterGroup] ?? {}).toEqual(after.fields);
      expect(valuesOf(body.members).sort()).toEqual(after.values);
      const first = before.values.length > 0 ? 2 : 1;
      const versions = requests.reduce((sum, { kind }) => sum + (groupKinds[kind]?.versions ?? 0), first);
      expect(body.meta).toMatchObject({ version: `W/"${versions}"` });
      expect(await readVersions(`group:${id.slice(1)}`)).toEqual(upTo(versions));
    }),
    amountOf(6),
  ));

// scim-for-keycloak#90: a service that reads the group, patches it and writes it whole loses the members of the other patch.
test("two patches of members that meet keep the members of each other", async () => {
  const [one, two] = faces;
  const [kept = "", removed = "", first = "", second = ""] = members;
  for (let meeting = 0; meeting < MEETINGS; meeting++) {
    const list = [kept, removed].map((each) => ({ value: each }));
    const id = await one.scim.create("/Groups", { displayName: `Meeting ${meeting}`, members: list });
    const add = (member: string) => ({ op: "add", path: "members", value: [{ value: member }] });
    await Promise.all([
      one.scim.expect(`PATCH /Groups/${id}`, patchOf(add(first))),
      two.scim.expect(
        `PATCH /Groups/${id}`,
        patchOf(add(second), { op: "remove", path: `members[value eq "${removed}"]` }),
      ),
    ]);
    const { body } = await one.scim.expect(`GET /Groups/${id}`);
    expect(new Set(valuesOf(body.members))).toEqual(new Set([kept, first, second]));
    expect(await readVersions(`group:${id.slice(1)}`)).toEqual(upTo(4));
  }
});
