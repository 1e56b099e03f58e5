import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { databaseOn } from "../../support/engines.ts";
import { runRoster } from "../../support/process/roster.ts";
import { startServiceOn, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

let database: Awaited<ReturnType<typeof databaseOn>>;
let service: TestService;
beforeAll(async () => {
  database = await databaseOn("sqlite");
  service = await startServiceOn(database.url);
  for (const name of ["Ada", "Grace"]) await service.roster.users.create({ name });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const run = (...args: string[]) => runRoster(["users", ...args], { env: { ROSTER_URL: service.url } });

test("users deleted, restore and purge list, restore and erase deleted users, and compact rewrites the file", async () => {
  await service.roster.users.delete(1);
  const listed = await run("deleted", "--q", "ada");
  expect(JSON.parse(listed.stdout)).toMatchObject({ id: 1, name: "Ada", deletedAt: expect.any(String) });
  expect(await run("restore", "1", "--email", "ada@x.org", "--user-name", "007")).toMatchObject({ code: 0 });
  expect(await service.roster.users.get(1)).toMatchObject({
    email: "ada@x.org",
    userName: "007",
    version: 2,
  });
  expect(await run("restore", "1")).toMatchObject({ code: 3 });
  expect(await run("purge", "1")).toMatchObject({ code: 2 });
  expect(await run("purge", "1", "--yes")).toMatchObject({ code: 0 });
  await service.roster.users.delete(2);
  expect(await run("purge", "2", "--yes")).toMatchObject({ code: 0 });
  expect(await run("purge", "2", "--yes")).toMatchObject({ code: 3 });
  const compacted = await runRoster(["compact"], { env: { DATABASE_URL: database.url } });
  expect(compacted).toMatchObject({ code: 0 });
});
