import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { startRoster, stopAll } from "../support/process/roster.ts";
import { failOver, promote, type StandbyPair, startPair, urlOf } from "./support/standby-pair.ts";

setDefaultTimeout(120_000);

let pair: StandbyPair;
beforeEach(async () => {
  pair = await startPair();
}, 120_000);
afterEach(async () => {
  await stopAll();
  await pair.destroy();
}, 120_000);

// A primary that freezes is harder to notice than one that is killed: outage-times.slow.ts tries both.
test("when the primary freezes, a node switches to the promoted standby and loses nothing", async () => {
  await failOver(pair, "freezes", 1000);
});

test("a node whose first host is a standby writes to the primary", async () => {
  const roster = await startRoster(urlOf(pair.standby, pair.primary));
  expect((await roster.call("/api/users", { method: "POST", json: { name: "First" } })).status).toBe(201);
  expect((await roster.call("/api/users/1")).status).toBe(200);
  expect((await roster.call("/api/users?name=First")).status).toBe(200);
});

test("a write that no standby has confirmed is not acknowledged", async () => {
  const roster = await startRoster(urlOf(pair.primary, pair.standby), { flags: ["--database-wait=1000"] });
  const create = (name: string) => roster.call("/api/users", { method: "POST", json: { name } });
  expect((await create("First")).status).toBe(201);
  pair.standby.signal("SIGSTOP");
  const response = await create("Second");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await response.text()).toContain("may or may not have been committed");
  pair.standby.signal("SIGCONT");
});

test("nodes leave a former primary that nobody has stopped, and do not read from it", async () => {
  const start = () => startRoster(urlOf(pair.primary, pair.standby), { flags: ["--database-wait=1000"] });
  const [one, two] = [await start(), await start()];
  await promote(pair.standby);
  const created = await one.until(async () => {
    const response = await one.call("/api/users", { method: "POST", json: { name: "First" } });
    return response.status === 201 ? response : undefined;
  });
  const { id }: { id: number } = await created.json();
  // The second node only reads, so no write that fails tells it.
  await two.until(async () => (await two.call(`/api/users/${id}`)).status === 200);
  const emptied = await startRoster(pair.primary.url());
  expect((await emptied.call(`/api/users/${id}`)).status).toBe(404);
});
