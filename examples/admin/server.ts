/**
 * Serves the two example apps, and passes their calls on to Roster with an API key. The key stays on this server: a page
 * must not have it. Listens on loopback only: add a sign-in of your own before you open it to others.
 *
 *     npm ci --prefix examples/admin
 *     ROSTER_URL=http://localhost:3000 ROSTER_API_KEY=… npx bun examples/admin/server.ts
 */
import reactAdmin from "./react-admin.html";
import refine from "./refine.html";

const roster = process.env.ROSTER_URL ?? "http://localhost:3000";
const key = process.env.ROSTER_API_KEY;

/** The headers of the API that the apps use. */
const forwarded = ["accept", "accept-encoding", "content-type", "if-match", "idempotency-key"];

async function forward(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  // Without this header, `fetch` accepts codings that the browser may not know.
  const headers = new Headers({ "accept-encoding": "identity" });
  if (key) headers.set("authorization", `Bearer ${key}`);
  for (const name of forwarded) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return fetch(new URL(pathname + search, roster), {
    method: request.method,
    headers,
    body: request.body,
    redirect: "manual",
    // Pass compressed bodies on as they are.
    decompress: false,
    // A page that closes ends its wait for events.
    signal: request.signal,
  });
}

const server = Bun.serve({
  hostname: "localhost",
  port: Number(process.env.PORT ?? 8080),
  development: false,
  routes: {
    "/react-admin": reactAdmin,
    "/refine": refine,
    "/api/users": forward,
    "/api/users/*": forward,
    "/api/groups": forward,
    "/api/groups/*": forward,
    "/api/events": forward,
  },
  // Longer than a wait for events.
  idleTimeout: 120,
  fetch: () => Response.redirect("/react-admin"),
});
console.log(`Open ${server.url}react-admin or ${server.url}refine`);
