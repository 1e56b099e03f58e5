import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";
import type { Static, TSchema } from "typebox";
import { clientTypesPath, generateClientTypes } from "../../scripts/client-types.ts";
import {
  type BulkChange,
  type Client,
  createClient,
  type FieldValue,
  type GroupEvent,
  type GroupInput,
  type GroupPatch,
  type KeyEvent,
  type KeyInput,
  type KeyReplacement,
  type Membership,
  type Problem,
  type ReplayRange,
  type RestoreOptions,
  type RosterEvent,
  type SchemaCheck,
  type UserBulk,
  type UserEvent,
  type UserInput,
  type UserPatch,
  type WebhookEvent,
  type WebhookInput,
} from "../../src/client/index.ts";
import type * as bulk from "../../src/contract/bulk/bulk-schemas.ts";
import type * as events from "../../src/contract/events/event-schemas.ts";
import type { Group as ContractGroup, ListedGroup } from "../../src/contract/groups/group-schemas.ts";
import { listRequestBodies, mediaTypes, type Operation } from "../../src/contract/operation.ts";
import { operations } from "../../src/contract/operations.ts";
import type { ProblemDocument } from "../../src/contract/problem-schemas.ts";
import type * as schemas from "../../src/contract/schema/schema-schemas.ts";
import type { FieldValue as ContractFieldValue } from "../../src/contract/users/field-schemas.ts";
import type { User as ContractUser, ListedUser } from "../../src/contract/users/user-schemas.ts";
import type { Webhook as ContractWebhook } from "../../src/contract/webhooks/webhook-schemas.ts";
import type { KeyRecord } from "../../src/domain/keys/key-record.ts";
import type { Agree } from "./support/types.ts";

/** The call of the client for each operation. */
const calls = {
  listUsers: ({ users }) =>
    users.list({
      fields: ["name"],
      q: "ada",
      filter: "level pr",
      sort: "name",
      limit: 2,
      after: "x",
      group: [1, 2],
    }),
  explainUsers: ({ users }) =>
    users
      .list({ fields: ["name"], q: "ada", filter: "level pr", sort: "name", limit: 2, after: "x", group: 1 })
      .explain(),
  createUser: ({ users }) => users.create({ name: "Ada" }),
  readUser: ({ users }) => users.get(1),
  replaceUser: ({ users }) => users.replace(1, { name: "Ada", email: null }),
  updateUser: ({ users }) => users.update(1, { active: false }),
  deleteUser: ({ users }) => users.delete(1, { purge: true }),
  importUsers: ({ users }) =>
    users.import([{ name: "Ada" }], { onConflict: "skip", match: "userName", dryRun: true }),
  bulkUsers: ({ users }) => users.bulk({ ids: [1, "2"], patch: { active: true } }),
  exportUsers: ({ users }) =>
    users.export({ fields: ["name"], q: "ada", filter: "level pr", sort: "-name", group: 1 }),
  listDeletedUsers: ({ deletedUsers }) =>
    deletedUsers.list({ q: "ada", filter: "level pr", limit: 2, after: "x" }),
  readDeletedUser: ({ deletedUsers }) => deletedUsers.read(1),
  restoreUser: ({ deletedUsers }) => deletedUsers.restore(1, { email: "ada@example.org", userName: null }),
  purgeUser: ({ deletedUsers }) => deletedUsers.purge(1),
  listFields: ({ fields }) => fields.list(),
  listFieldValues: ({ fields }) => fields.values("department", { prefix: "e" }),
  readStats: (client) => client.stats({ days: 7 }),
  readSchema: ({ schema }) => schema.get().then(({ schema }) => schema),
  replaceSchema: ({ schema }) => schema.set({ properties: {} }).then(({ schema }) => schema),
  deleteSchema: ({ schema }) => schema.remove(),
  listSchemaVersions: ({ schema }) => schema.versions(),
  listSchemaViolations: ({ schema }) => schema.violations(),
  listGroups: ({ groups }) =>
    groups.list({ fields: ["name"], q: "sales", filter: "region pr", sort: "name", limit: 2, after: "x" }),
  explainGroups: ({ groups }) =>
    groups
      .list({ fields: ["name"], q: "sales", filter: "region pr", sort: "name", limit: 2, after: "x" })
      .explain(),
  createGroup: ({ groups }) => groups.create({ name: "Sales", region: "north" }),
  readGroup: ({ groups }) => groups.get(1),
  replaceGroup: ({ groups }) => groups.replace(1, { name: "Sales" }),
  updateGroup: ({ groups }) => groups.update(1, { region: null }),
  deleteGroup: ({ groups }) => groups.delete(1, { ifMatch: 2 }),
  importGroups: ({ groups }) =>
    groups.import([{ name: "Sales" }], { onConflict: "skip", match: "id", dryRun: true }),
  exportGroups: ({ groups }) =>
    groups.export({ fields: ["name"], q: "sales", filter: "region pr", sort: "-memberCount" }),
  listMembers: ({ groups }) =>
    groups.members(1, {
      fields: ["name"],
      q: "ada",
      filter: "level pr",
      sort: "name",
      limit: 2,
      after: "x",
      group: 2,
    }),
  changeMembers: async ({ groups }) => ({
    ...(await groups.add(1, [1, "2"])),
    ...(await groups.remove(1, [3])),
  }),
  readMember: async ({ groups }) => {
    const member = await groups.member(1, 1);
    if (!member) throw new Error("The user is not a member.");
    return member;
  },
  listUserGroups: ({ users }) =>
    users.groups(1, {
      fields: ["name"],
      q: "sales",
      filter: "region pr",
      sort: "name",
      limit: 2,
      after: "x",
    }),
  importMemberships: ({ memberships }) =>
    memberships.import([{ group: "Sales", user: 1 }], { remove: true, dryRun: true }),
  exportMemberships: ({ memberships }) => memberships.export({ group: [1, "2"], names: true }),
  listEvents: ({ events }) =>
    events.list({
      type: ["user.*", "key.created"],
      subject: "user:1",
      actor: "key:3",
      requestId: "k2vw1x-42",
      from: new Date(0),
      to: "2026-11-16T00:00:00Z",
      sort: "-id",
      limit: 2,
      after: "00000000001",
    }),
  listUserEvents: ({ events }) => events.list({ user: 1, type: "group.*", sort: "-id", limit: 2 }),
  listWebhooks: ({ webhooks }) => webhooks.list({ limit: 2, after: "x" }),
  createWebhook: ({ webhooks }) => webhooks.create({ url: "https://example.com", types: ["user.*"] }),
  readWebhook: ({ webhooks }) => webhooks.get(1),
  updateWebhook: ({ webhooks }) => webhooks.update(1, { description: null }),
  deleteWebhook: ({ webhooks }) => webhooks.delete(1),
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotate(1),
  listDeliveries: ({ webhooks }) => webhooks.deliveries(1, { state: "failed", limit: 2, after: "x" }),
  readDelivery: ({ webhooks }) => webhooks.delivery(1, "00000000001"),
  countAttempts: ({ webhooks }) => webhooks.attempts(1, { hours: 48 }),
  resendDelivery: ({ webhooks }) => webhooks.resend(1, "00000000001"),
  replayEvents: ({ webhooks }) => webhooks.replay(1, { from: new Date(0) }),
  testWebhook: ({ webhooks }) => webhooks.test(1),
  listKeys: ({ keys }) => keys.list({ limit: 2, after: "x" }),
  createKey: ({ keys }) => keys.create({ name: "ci", scopes: ["users:read"], quota: 1000 }),
  readKey: ({ keys }) => keys.get(1),
  readKeyUsage: ({ keys }) => keys.usage(1, { days: 7 }),
  revokeKey: ({ keys }) => keys.revoke(1),
} satisfies Partial<Record<OperationId, (client: Client<unknown>) => unknown>>;

/** Query parameters that these calls do not send. */
const otherParameters: Readonly<Record<string, readonly string[]>> = {
  // `offset` goes without `after`, `count` with `page`, and `where` has the filters.
  listUsers: ["offset", "count", "filters"],
  explainUsers: ["offset", "count", "filters"],
  listGroups: ["offset", "count", "filters"],
  explainGroups: ["offset", "count", "filters"],
  listMembers: ["offset", "count", "filters"],
  listUserGroups: ["offset", "count", "filters"],
  // Headers name the formats.
  importUsers: ["format"],
  exportUsers: ["filters", "format"],
  importGroups: ["format"],
  exportGroups: ["filters", "format"],
  importMemberships: ["format"],
  exportMemberships: ["format"],
  // With `count` and `check`.
  bulkUsers: ["dryRun"],
  replaceSchema: ["dryRun"],
  // With `countValues`.
  listFieldValues: ["counts"],
  // The client reads all pages.
  listSchemaVersions: ["limit", "after"],
  listSchemaViolations: ["limit", "after"],
  // With `follow`.
  listEvents: ["wait"],
  // As for listEvents.
  listUserEvents: ["actor", "after", "from", "requestId", "to", "wait"],
};

/** The bodies that the client sends. */
interface Bodies {
  createUser: UserInput<unknown>;
  replaceUser: UserInput<unknown>;
  updateUser: UserPatch<unknown>;
  createGroup: GroupInput<unknown>;
  replaceGroup: GroupInput<unknown>;
  updateGroup: GroupPatch<unknown>;
  /** One of them. */
  changeMembers: { add?: number[]; remove?: number[] };
  /** Text, or objects that become text. */
  importUsers: string;
  importGroups: string;
  importMemberships: string;
  /** The client also takes ids as text, and filters from `roster-client/filter`. */
  bulkUsers: Replace<
    BulkChange<unknown>,
    { ids: number[]; filter: string; delete: boolean; restore: boolean }
  >;
  restoreUser: Pick<RestoreOptions, "email" | "userName">;
  replaceSchema: Parameters<Client["schema"]["set"]>[0];
  createWebhook: WebhookInput;
  updateWebhook: Parameters<Client["webhooks"]["update"]>[1];
  /** The client also takes dates. */
  replayEvents: Replace<ReplayRange, { from: string; to: string }>;
  createKey: KeyInput | (KeyReplacement & { readonly replaces: number });
}

/** Operations without a method of the client. */
const withoutMethod: Readonly<Record<Exclude<OperationId, keyof typeof calls>, string>> = {
  addMember: "For one user, groups.add sends a change of members.",
  removeMember: "For one user, groups.remove sends a change of members.",
  signIn: "Sessions are for browsers. The client sends a key.",
  whoAmI: "Sessions are for browsers. The client sends a key.",
  signOut: "Sessions are for browsers. The client sends a key.",
  health: "For load balancers and orchestrators.",
  ready: "For load balancers and orchestrators.",
  metrics: "For Prometheus.",
  openapi: "For code generators.",
  docs: "A page.",
  problemIndex: "A page.",
  problem: "A page.",
};

type Operations = typeof operations;
type OperationId = keyof Operations;
const all: Readonly<Record<string, Operation>> = operations;

/** Responses that the contract describes as text, with a schema for each line. */
interface Lines {
  importUsers: bulk.ImportLineResult[];
  bulkUsers: bulk.BulkResult[];
  exportUsers: Static<typeof ListedUser>[];
  importGroups: bulk.ImportLineResult[];
  exportGroups: Static<typeof ListedGroup>[];
  importMemberships: bulk.ImportLineResult[];
  exportMemberships: Membership[];
}

/** What an operation responds with; undefined for a response without a body. */
type ResponseOf<Id extends OperationId> = Id extends keyof Lines
  ? Lines[Id]
  : BodyOf<Operations[Id]["responses"][Exclude<keyof Operations[Id]["responses"], 304>]>;
type BodyOf<Response> = Response extends { body: { schema: infer Schema extends TSchema } }
  ? Static<Schema>
  : undefined;
type RequestOf<Id extends OperationId> = Operations[Id] extends {
  request: { schema: infer Schema extends TSchema };
}
  ? Static<Schema>
  : undefined;

/** What a call returns. Lists return their items. */
type ResultOf<Call> = Call extends (client: never) => infer Result
  ? Result extends AsyncIterable<infer Item>
    ? Item[]
    : Result extends Promise<void>
      ? undefined
      : Awaited<Result>
  : never;

/** Groups without their custom fields, for which the client has no type parameter. */
type WithoutAnyFields<T> = T extends readonly (infer Item)[]
  ? WithoutAnyFields<Item>[]
  : T extends { readonly id: number }
    ? { [Field in keyof T as string extends Field ? never : number extends Field ? never : Field]: T[Field] }
    : T;

/** Operations whose types differ between client and contract. */
type Differing = {
  [Id in keyof typeof calls]:
    | (Agree<WithoutAnyFields<ResultOf<(typeof calls)[Id]>>, ResponseOf<Id>> extends true
        ? never
        : `the response of ${Id}`)
    | (Agree<Id extends keyof Bodies ? Bodies[Id] : undefined, RequestOf<Id>> extends true
        ? never
        : `the request of ${Id}`);
}[keyof typeof calls];

/** What no operation describes. */
interface Parts {
  problem: [Problem, ProblemDocument];
  "the result of a dry run of a schema": [SchemaCheck, schemas.SchemaCheck];
  "the count of a bulk change": [
    Awaited<ReturnType<UserBulk["count"]>>,
    Static<typeof bulk.BulkCount>["count"],
  ];
  "the changes of an event": [RosterEvent["changes"][string], Static<typeof events.FieldChange>];
  "the record of a user's event": [UserEvent<unknown>["record"], ContractUser | null];
  "the record of a group's event": [GroupEvent<unknown>["record"], ContractGroup];
  "the record of a key's event": [KeyEvent["record"], KeyRecord];
  "the record of a webhook's event": [WebhookEvent["record"], ContractWebhook];
  "the values of a field": [FieldValue, ContractFieldValue];
}
type DifferingParts = {
  [Name in keyof Parts]: Agree<Parts[Name][0], Parts[Name][1]> extends true ? never : Name;
}[keyof Parts];

type Replace<T, Fields> = T extends unknown
  ? { [Key in keyof T]: Key extends keyof Fields ? Fields[Key] : T[Key] }
  : never;

/** Does not compile if something differs. The compiler lists it. */
const differing: Readonly<Record<Differing | DifferingParts, never>> = {};

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Makes a call, which gets the example of the operation's first response. Returns the request. */
async function makeCall(
  { responses }: Operation,
  call: (client: Client<unknown>) => unknown,
): Promise<Request> {
  const sent: Request[] = [];
  const [status, { body } = {}] = Object.entries(responses)[0] ?? [];
  const example = Object.values(body?.examples ?? {})[0];
  const text = typeof example === "string" ? example : JSON.stringify(example);
  const client = createClient<unknown>({
    baseUrl: "http://localhost",
    fetch(request) {
      sent.push(request);
      const headers = body && { "content-type": body.type, etag: '"1"' };
      return new Response(body && text, { status: Number(status), ...(headers && { headers }) });
    },
  });
  const result = await call(client);
  if (isIterable(result)) for await (const _ of result) break;
  const [request] = sent;
  if (!request) throw new Error("The client sent no request.");
  return request;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

describe("the client", () => {
  test("has types that are generated from the contract (npm run docs)", async () => {
    expect(readFileSync(clientTypesPath, "utf8")).toBe(await generateClientTypes());
  });

  test("sends and returns what the contract says, for each operation", () => {
    expect(Object.keys(differing)).toEqual([]);
  });

  test("has a method for each operation, or a reason why it has none", () => {
    const reasons = Object.entries(withoutMethod).filter(([, reason]) => reason !== "");
    expect([...Object.keys(calls), ...reasons.map(([id]) => id)].sort()).toEqual(
      Object.keys(operations).sort(),
    );
  });

  for (const [id, call] of Object.entries<(client: Client<unknown>) => unknown>(calls)) {
    test(`calls ${id} with a valid request, and accepts its response`, async () => {
      const operation = all[id];
      if (!operation) throw new Error(`There is no operation ${id}.`);
      const request = await makeCall(operation, call);
      const { pathname, searchParams } = new URL(request.url);
      expect(request.method).toBe(operation.method);
      expect(pathname).toMatch(new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`));
      const queries = operation.parameters.flatMap((parameter) =>
        parameter.in === "query" ? [parameter.name] : [],
      );
      expect([...new Set(searchParams.keys()), ...(otherParameters[id] ?? [])].sort()).toEqual(
        queries.sort(),
      );
      const type = request.headers.get("content-type");
      const described = listRequestBodies(operation).find((body) => body.type === type);
      expect(described?.type ?? null).toBe(type);
      if (type === null) return;
      const text = await request.text();
      const body = type === mediaTypes.ndjson ? text : JSON.parse(text);
      expect({ body, valid: ajv.validate(Object(described?.schema), body) }).toEqual({ body, valid: true });
    });
  }
});
