import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { runRoster, spawnRoster, stopAll } from "../support/process/roster.ts";
import { startService, type TestService } from "../support/service.ts";
import { untilOf } from "./support/until-running.ts";

setDefaultTimeout(120_000);

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await service.roster.users.create({ name: "Ada\u202e", email: "ada@x.org" });
  await service.roster.users.create({ name: "Grace" });
  await service.roster.users.update(1, { email: "b@x.org", level: 2 });
  await service.roster.users.delete(2);
});
afterAll(async () => {
  await stopAll();
  await service.stop();
});

const env = () => ({ ROSTER_URL: service.url });
const list = (...args: string[]) => runRoster(["events", "list", ...args], { env: env() });

test("events list chooses events by type, user and number", async () => {
  const table = await list("--user=1", "--output=table");
  expect(table.stdout).toMatch(/^TIME +EVENT +SUBJECT +BY +CHANGED\n/);
  expect(table.stdout).toMatch(/Z +user\.updated +user 1 \(Ada.*\) +anonymous +email, level\n/);
  expect(table.stdout).not.toContain("\u202e");
  const json = await list("--type=user.deleted,key.*", "--output=json");
  expect(JSON.parse(json.stdout)).toHaveLength(1);
  expect((await list("--limit=2")).stdout.trimEnd().split("\n")).toHaveLength(2);
  const none = await list("--type=key.*");
  expect([none.code, none.stdout, none.stderr]).toEqual([0, "", "No events found.\n"]);
});

test("events list finds the events of a request and of a time", async () => {
  const [, , updated] = await service.roster.events.list().all();
  const { requestId, time } = updated ?? {};
  const lines = async (...args: string[]) => (await list(...args)).stdout.trimEnd();
  expect(JSON.parse(await lines(`--request-id=${requestId}`, `--from=${time}`))).toEqual(updated);
  expect(await lines(`--request-id=${requestId}`, `--to=${time}`)).toBe("");
  expect(await lines("--request-id=a+b=/c:d")).toBe("");
});

test("events list names an option that is not valid", async () => {
  for (const option of ["--type=user", "--user=x", "--request-id=a b", "--from=today", "--limit=0"]) {
    const { code, stderr } = await list(option);
    expect([code, stderr]).toEqual([2, expect.stringContaining(option.split("=")[0] ?? "")]);
  }
});

test("events follow prints events as they happen, from a given one on", async () => {
  const after = await service.roster.events.last();
  const child = spawnRoster(["events", "follow", `--after=${after}`, "--type=user.created"], { env: env() });
  for (const name of ["One", "Two", "Three"]) {
    await service.roster.users.create({ name });
    await service.roster.users.update(1, { last: name });
    await untilOf(child, () => child.stdout.some((line) => line.includes(`"name":"${name}"`)));
  }
  const names = child.stdout.map((line) => JSON.parse(line).record.name);
  expect(names).toEqual(["One", "Two", "Three"]);
  child.kill("SIGINT");
  await child.exited;
});
