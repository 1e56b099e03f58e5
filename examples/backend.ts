/**
 * A back end for a web page: the page calls this server, and this server calls Roster. The key stays on the server, and the
 * page can do only what these routes allow.
 */
import { Hono } from "hono";
import { ApiError, createClient } from "roster-client";

const roster = createClient<{ department?: string }>();
const app = new Hono();

app.get("/", (c) =>
  c.html(`<!doctype html><title>Team</title><ul id="team"></ul><script type="module">
  const team = await (await fetch("/team/engines")).json();
  document.querySelector("#team").append(...team.map((name) => Object.assign(document.createElement("li"), { textContent: name })));
</script>`),
);

app.get("/team/:department", async (c) => {
  const { department } = c.req.param();
  const users = await roster.users.list({ where: { department }, sort: "name", limit: 50 }).page();
  return c.json(users.users.map(({ name }) => name));
});

app.post("/sign-up", async (c) => {
  const { name, email } = await c.req.json<{ name: string; email: string }>();
  const user = await roster.users.create({ name, email });
  return c.json({ id: user.id }, 201);
});

app.onError((error, c) => {
  // Return errors that the caller can fix. Log all others.
  if (error instanceof ApiError && [409, 422].includes(error.status)) {
    return c.json({ errors: error.problem?.errors ?? [] }, error.status === 409 ? 409 : 422);
  }
  console.error(error);
  return c.json({ error: "Please try again later." }, 502);
});

export default { port: Number(process.env.PORT ?? 8080), fetch: app.fetch };
