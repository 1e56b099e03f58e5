/** Calls every operation through a client generated from the API's description; the test checks its types and runs it. */
import createClient from "openapi-fetch";
import type { paths } from "./generated/schema";

const [, , baseUrl = ""] = process.argv;
const client = createClient<paths>({ baseUrl });

const id = (resource: { id: number } | undefined): number => {
  if (!resource) throw new Error("The response has no id.");
  return resource.id;
};

const created = await client.POST("/api/users", {
  params: { header: { "Idempotency-Key": "generated" } },
  body: { name: "Ada", email: "ada@example.com", department: "engines" },
});
const path = { id: id(created.data) };
const listed = await client.GET("/api/users", {
  params: {
    query: { q: "ada", sort: "-createdAt", limit: 10, count: true },
  },
});
const chosen = await client.GET("/api/users", {
  params: { query: { filter: 'department eq "ENGINES"', sort: "-department", fields: "email,department" } },
});
const explained = await client.GET("/api/users/explain", { params: { query: { q: "ada", sort: "name" } } });
const read = await client.GET("/api/users/{id}", { params: { path } });
const replaced = await client.PUT("/api/users/{id}", {
  params: { path, header: { "If-Match": '"1"' } },
  body: { name: "Ada King" },
});
const patched = await client.PATCH("/api/users/{id}", { params: { path }, body: { department: "research" } });
const rejected = await client.POST("/api/users", { body: { name: "" } });
const imported = await client.POST("/api/users/import", {
  params: { query: { format: "csv" } },
  body: "name,department\nGrace,engines\n",
  bodySerializer: (body) => body,
  parseAs: "text",
});
const exported = await client.GET("/api/users/export", {
  params: { query: { sort: "-id", format: "ndjson" } },
  parseAs: "text",
});
const changed = await client.POST("/api/users/bulk", {
  params: { query: { dryRun: false } },
  body: { ids: [2], patch: { department: "research" } },
  parseAs: "text",
});
const fields = await client.GET("/api/fields");
const values = await client.GET("/api/fields/{name}/values", {
  params: { path: { name: "department" }, query: { prefix: "re" } },
});
const stats = await client.GET("/api/stats", { params: { query: { days: 2 } } });
const events = await client.GET("/api/events", { params: { query: { type: ["user.*"], limit: 1 } } });
const history = await client.GET("/api/users/{id}/events", { params: { path, query: { sort: "-id" } } });
const removed = await client.DELETE("/api/users/{id}", { params: { path } });
const deleted = await client.GET("/api/deleted-users", { params: { query: { q: "ada" } } });
const readDeleted = await client.GET("/api/deleted-users/{id}", { params: { path } });
const restored = await client.POST("/api/deleted-users/{id}/restore", {
  params: { path },
  body: { email: "ada@example.org" },
});
const removedAgain = await client.DELETE("/api/users/{id}", { params: { path } });
const purged = await client.DELETE("/api/deleted-users/{id}", { params: { path } });
const importedGroups = await client.POST("/api/groups/import", {
  params: { query: { dryRun: true, onConflict: "skip", match: "name", format: "ndjson" } },
  body: '{"name":"Imported"}\n',
  bodySerializer: (body) => body,
  parseAs: "text",
});
const createdGroup = await client.POST("/api/groups", {
  params: { header: { "Idempotency-Key": "generated group" } },
  body: { name: "Sales", region: "north" },
});
const groupPath = { path: { id: id(createdGroup.data) } };
const groups = await client.GET("/api/groups", {
  params: { query: { q: "sales", sort: "-memberCount", filter: "memberCount eq 0", count: true } },
});
const exportedGroups = await client.GET("/api/groups/export", {
  params: { query: { fields: "name", format: "csv" } },
  parseAs: "text",
});
const explainedGroups = await client.GET("/api/groups/explain", { params: { query: { q: "sales" } } });
const group = await client.GET("/api/groups/{id}", { params: groupPath });
const replacedGroup = await client.PUT("/api/groups/{id}", {
  params: { ...groupPath, header: { "If-Match": '"1"' } },
  body: { name: "Sales north" },
});
const patchedGroup = await client.PATCH("/api/groups/{id}", {
  params: groupPath,
  body: { region: "south" },
});
const memberPath = { path: { ...groupPath.path, userId: 2 } };
const addedMembers = await client.PATCH("/api/groups/{id}/members", {
  params: { ...groupPath, header: { "If-Match": '"3"' } },
  body: { add: [2, 2], remove: [999] },
});
const members = await client.GET("/api/groups/{id}/members", {
  params: { ...groupPath, query: { sort: "-id", count: true } },
});
const member = await client.GET("/api/groups/{id}/members/{userId}", { params: memberPath });
const usersInGroups = await client.GET("/api/users", {
  params: { query: { group: [groupPath.path.id, 999] } },
});
const importedMembers = await client.POST("/api/memberships/import", {
  params: { query: { dryRun: true, format: "ndjson" } },
  body: `{"group":${groupPath.path.id},"user":2}\n`,
  bodySerializer: (body) => body,
  parseAs: "text",
});
const exportedMembers = await client.GET("/api/memberships/export", {
  params: { query: { group: [groupPath.path.id], format: "csv" } },
  parseAs: "text",
});
const groupsOfUser = await client.GET("/api/users/{id}/groups", {
  params: { path: { id: 2 }, query: { q: "sales" } },
});
const removedMember = await client.DELETE("/api/groups/{id}/members/{userId}", { params: memberPath });
const addedMember = await client.PUT("/api/groups/{id}/members/{userId}", { params: memberPath });
const deletedGroup = await client.DELETE("/api/groups/{id}", { params: groupPath });
const changedSchema = await client.PUT("/api/schema", {
  body: { properties: { level: { type: "number" } }, required: ["level"] },
});
const schema = await client.GET("/api/schema");
const versions = await client.GET("/api/schema/versions");
const violations = await client.GET("/api/schema/violations");
const deletedSchema = await client.DELETE("/api/schema");
const missing = await client.GET("/api/users/{id}", { params: { path } });
const health = await client.GET("/healthz");
const ready = await client.GET("/readyz");
const metrics = await client.GET("/metrics", { parseAs: "text" });
const description = await client.GET("/openapi.json");
const docs = await client.GET("/docs", { parseAs: "text" });
const problems = await client.GET("/problems", { parseAs: "text" });
const problem = await client.GET("/problems/{type}", {
  params: { path: { type: "email-taken" } },
  parseAs: "text",
});
const createdHook = await client.POST("/api/webhooks", {
  body: { url: "https://hooks.invalid/", types: ["user.*"] },
});
const hookPath = { path: { id: id(createdHook.data) } };
const hooks = await client.GET("/api/webhooks", { params: { query: { limit: 10 } } });
const hook = await client.GET("/api/webhooks/{id}", { params: hookPath });
const changedHook = await client.PATCH("/api/webhooks/{id}", {
  params: { ...hookPath, header: { "If-Match": '"1"' } },
  body: { active: false, filter: "level ge 3" },
});
const rotatedHook = await client.POST("/api/webhooks/{id}/rotate", { params: hookPath });
const deliveries = await client.GET("/api/webhooks/{id}/deliveries", { params: hookPath });
const delivery = await client.GET("/api/webhooks/{id}/deliveries/{eventId}", {
  params: { path: { ...hookPath.path, eventId: "0ho78yaryg6" } },
});
const attempts = await client.GET("/api/webhooks/{id}/attempts", {
  params: { ...hookPath, query: { hours: 2 } },
});
const replay = await client.POST("/api/webhooks/{id}/replay", {
  params: hookPath,
  body: { from: "2026-01-16T08:00:00Z" },
});
const resent = await client.POST("/api/webhooks/{id}/deliveries/{eventId}/resend", {
  params: { path: { ...hookPath.path, eventId: "0ho78yaryg6" } },
});
const sample = await client.POST("/api/webhooks/{id}/test", { params: hookPath });
const deletedHook = await client.DELETE("/api/webhooks/{id}", { params: hookPath });
// After the first key is created, requests need a key.
const createdKey = await client.POST("/api/keys", {
  body: {
    name: "generated",
    scopes: ["users:read", "keys:manage"],
    rateLimit: { requests: 100, seconds: 1 },
  },
});
const secret = createdKey.data?.key ?? "";
const headers = { authorization: `Bearer ${secret}` };
const keyPath = { path: { id: id(createdKey.data) } };
const unauthenticated = await client.GET("/api/users");
const keys = await client.GET("/api/keys", { headers, params: { query: { limit: 10 } } });
const key = await client.GET("/api/keys/{id}", { headers, params: keyPath });
const usage = await client.GET("/api/keys/{id}/usage", {
  headers,
  params: { ...keyPath, query: { days: 3 } },
});
const signedIn = await client.POST("/api/session", { body: { key: secret } });
const session = await client.GET("/api/session", { headers });
const signedOut = await client.DELETE("/api/session");
const revoked = await client.DELETE("/api/keys/{id}", { headers, params: keyPath });
const afterRevoke = await client.GET("/api/keys", { headers });

console.log(
  JSON.stringify({
    created: [created.response.status, created.data?.name],
    listed: [listed.response.status, listed.data?.length],
    chosen: [chosen.response.status, chosen.data?.map(({ name, email }) => [name, email])],
    explained: [explained.response.status, explained.data?.found],
    read: [read.response.status, read.data?.email],
    replaced: [replaced.response.status, replaced.data?.version],
    patched: [patched.response.status, patched.data?.version],
    rejected: [rejected.response.status, rejected.error?.errors?.[0]?.pointer],
    imported: [imported.response.status, imported.data],
    exported: [exported.response.status, exported.data?.split("\n").length],
    changed: [changed.response.status, changed.data],
    fields: [fields.response.status, fields.data?.[0]?.types],
    values: [values.response.status, values.data?.[0]],
    stats: [stats.response.status, stats.data?.days.length],
    events: [events.response.status, Array.isArray(events.data) && events.data[0]?.type],
    history: [history.response.status, history.data?.length],
    removed: [removed.response.status, removed.data],
    deleted: [deleted.response.status, deleted.data?.[0]?.version],
    readDeleted: [readDeleted.response.status, readDeleted.data?.name],
    restored: [restored.response.status, restored.data?.email],
    removedAgain: removedAgain.response.status,
    purged: purged.response.status,
    importedGroups: [importedGroups.response.status, importedGroups.data],
    createdGroup: [createdGroup.response.status, createdGroup.data?.name],
    groups: [groups.response.status, groups.data?.[0]?.memberCount],
    exportedGroups: [exportedGroups.response.status, exportedGroups.data],
    explainedGroups: [explainedGroups.response.status, explainedGroups.data?.found],
    group: [group.response.status, group.data?.version],
    replacedGroup: [replacedGroup.response.status, replacedGroup.data?.name],
    patchedGroup: [patchedGroup.response.status, patchedGroup.data?.version],
    addedMembers: [addedMembers.response.status, addedMembers.data],
    members: [members.response.status, members.data?.length],
    member: [member.response.status, member.data?.id],
    usersInGroups: [usersInGroups.response.status, usersInGroups.data?.[0]?.id],
    importedMembers: [importedMembers.response.status, importedMembers.data],
    exportedMembers: [exportedMembers.response.status, exportedMembers.data],
    groupsOfUser: [groupsOfUser.response.status, groupsOfUser.data?.[0]?.memberCount],
    removedMember: removedMember.response.status,
    addedMember: addedMember.response.status,
    deletedGroup: deletedGroup.response.status,
    changedSchema: [changedSchema.response.status, changedSchema.data],
    schema: [schema.response.status, schema.data],
    versions: [versions.response.status, versions.data?.length],
    violations: [violations.response.status, violations.data?.[0]?.id],
    deletedSchema: deletedSchema.response.status,
    missing: [missing.response.status, missing.error?.type],
    health: [health.response.status, health.data?.status],
    ready: [ready.response.status, ready.data?.status],
    metrics: [metrics.response.status, metrics.data?.includes("roster_users")],
    description: [description.response.status, typeof description.data],
    docs: docs.response.status,
    problems: problems.response.status,
    problem: problem.response.status,
    createdHook: [createdHook.response.status, createdHook.data?.secret.slice(0, 6)],
    hooks: [hooks.response.status, hooks.data?.[0]?.types],
    hook: [hook.response.status, hook.data?.active],
    changedHook: [changedHook.response.status, changedHook.data?.filter],
    rotatedHook: [rotatedHook.response.status, rotatedHook.data?.version],
    deliveries: [deliveries.response.status, deliveries.data?.length],
    delivery: [delivery.response.status, delivery.error?.type],
    attempts: [attempts.response.status, attempts.data?.hours.length],
    replay: [replay.response.status, replay.error?.type],
    resent: [resent.response.status, resent.error?.type],
    sample: [sample.response.status, sample.data?.delivered],
    deletedHook: deletedHook.response.status,
    createdKey: [createdKey.response.status, createdKey.data?.scopes],
    unauthenticated: [unauthenticated.response.status, unauthenticated.error?.type],
    keys: [keys.response.status, keys.data?.length],
    key: [key.response.status, key.data?.rateLimit?.requests],
    usage: [usage.response.status, usage.data?.days.length],
    signedIn: [signedIn.response.status, signedIn.data?.auth],
    session: [session.response.status, session.data?.key?.name],
    signedOut: signedOut.response.status,
    revoked: revoked.response.status,
    afterRevoke: [afterRevoke.response.status, afterRevoke.error?.type],
  }),
);
