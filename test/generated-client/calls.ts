/** Calls every operation through a client generated from the API's description; the test checks its types and runs it. */
import createClient from "openapi-fetch";
import type { paths } from "./generated/schema";

const [, , baseUrl = ""] = process.argv;
// Filters stand beside the other parameters, which is what the description says of them.
const client = createClient<paths>({
  baseUrl,
  querySerializer: { object: { style: "form", explode: true } },
});

const id = (user: { id: number } | undefined): number => {
  if (!user) throw new Error("There is no user in the answer.");
  return user.id;
};

const created = await client.POST("/api/users", {
  params: { header: { "Idempotency-Key": "generated" } },
  body: { name: "Ada", email: "ada@example.com", department: "engines" },
});
// The same path answers an import, too, with text.
const ada = typeof created.data === "object" ? created.data : undefined;
const path = { id: id(ada) };
const listed = await client.GET("/api/users", {
  params: {
    query: { q: "ada", sort: "-createdAt", limit: 10, count: true, filters: { department: "engines" } },
  },
});
const read = await client.GET("/api/users/{id}", { params: { path } });
const replaced = await client.PUT("/api/users/{id}", {
  params: { path, header: { "If-Match": '"1"' } },
  body: { name: "Ada King" },
});
const patched = await client.PATCH("/api/users/{id}", { params: { path }, body: { department: "research" } });
const refused = await client.POST("/api/users", { body: { name: "" } });
const removed = await client.DELETE("/api/users/{id}", { params: { path } });
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
// From the first key on, all others have to show one.
const made = await client.POST("/api/keys", {
  body: {
    name: "generated",
    scopes: ["users:read", "keys:manage"],
    rateLimit: { requests: 100, seconds: 1 },
  },
});
const secret = made.data?.key ?? "";
const headers = { authorization: `Bearer ${secret}` };
const first = { path: { id: id(made.data) } };
const turnedAway = await client.GET("/api/users");
const keys = await client.GET("/api/keys", { headers, params: { query: { limit: 10 } } });
const key = await client.GET("/api/keys/{id}", { headers, params: first });
const signedIn = await client.POST("/api/session", { body: { key: secret } });
const who = await client.GET("/api/session", { headers });
const signedOut = await client.DELETE("/api/session");
const revoked = await client.DELETE("/api/keys/{id}", { headers, params: first });
const ended = await client.GET("/api/keys", { headers });

console.log(
  JSON.stringify({
    created: [created.response.status, ada?.name],
    listed: [listed.response.status, listed.data?.length],
    read: [read.response.status, read.data?.email],
    replaced: [replaced.response.status, replaced.data?.version],
    patched: [patched.response.status, patched.data?.version],
    refused: [refused.response.status, refused.error?.errors?.[0]?.pointer],
    removed: [removed.response.status, removed.data],
    missing: [missing.response.status, missing.error?.type],
    health: [health.response.status, health.data?.status],
    ready: [ready.response.status, ready.data?.status],
    metrics: [metrics.response.status, metrics.data?.includes("roster_users")],
    description: [description.response.status, typeof description.data],
    docs: docs.response.status,
    problems: problems.response.status,
    problem: problem.response.status,
    made: [made.response.status, made.data?.scopes],
    turnedAway: [turnedAway.response.status, turnedAway.error?.type],
    keys: [keys.response.status, keys.data?.length],
    key: [key.response.status, key.data?.rateLimit?.requests],
    signedIn: [signedIn.response.status, signedIn.data?.auth],
    who: [who.response.status, who.data?.key?.name],
    signedOut: signedOut.response.status,
    revoked: revoked.response.status,
    ended: [ended.response.status, ended.error?.type],
  }),
);
