import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { emptyDatabaseOn, onEachEngine } from "../support/engines.ts";
import { describeResponse, readResponse } from "../support/responses.ts";
import { startService, startServiceOn, type TestService } from "../support/service.ts";

const refused = "/userName: roster- and a number stand for users without a user name. Choose another one.";

async function errorsOf(response: Promise<Response>): Promise<unknown[]> {
  const { status, problem } = await readResponse(response);
  return [status, ...(problem?.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`)];
}

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());
  const send = (method: string, path: string, json: unknown) => service.call(path, { method, json });
  const create = async () => (await send("POST", "/api/users", { name: "Ada" })).json();
  const importLine = async (line: object, query: string) => {
    const headers = { "content-type": "application/x-ndjson" };
    const body = `${JSON.stringify(line)}\n`;
    const path = `/api/users/import${query}`;
    const response = await service.call(path, { method: "POST", headers, body });
    return JSON.parse((await response.text()).split("\n")[0] ?? "");
  };

  describe.each(["roster-42", "ROSTER-7", "Roster-000"])("the user name %s", (userName) => {
    test("is refused for a new user", async () => {
      expect(await errorsOf(send("POST", "/api/users", { name: "Ada", userName }))).toEqual([422, refused]);
    });

    test("is refused for a user with another one, also for the user whose number it has", async () => {
      const { id } = await create();
      const path = `/api/users/${id}`;
      expect(await errorsOf(send("PUT", path, { name: "Ada", userName }))).toEqual([422, refused]);
      expect(await errorsOf(send("PATCH", path, { userName }))).toEqual([422, refused]);
      expect(await errorsOf(send("PATCH", path, { userName: `roster-${id}` }))).toEqual([422, refused]);
    });

    test("is refused in imports, also before they run", async () => {
      for (const query of ["", "?dryRun=true"]) {
        const { status, problem } = await importLine({ name: "Ada", userName }, query);
        expect([status, problem?.errors?.[0]?.pointer]).toEqual([422, "/userName"]);
      }
    });

    test("is refused in a restore", async () => {
      const { id } = await create();
      await service.call(`/api/users/${id}`, { method: "DELETE" });
      expect(await errorsOf(send("POST", `/api/deleted-users/${id}/restore`, { userName }))).toEqual([
        422,
        refused,
      ]);
    });

    test("is refused in a bulk change", async () => {
      const { id } = await create();
      await send("POST", "/api/users/bulk", { ids: [id], patch: { userName } });
      expect(await (await service.call(`/api/users/${id}`)).json()).not.toHaveProperty("userName");
    });
  });

  test.each(["roster-", "roster-x", "roster-1a", "my-roster-1", "roster42", "roster-1 "])(
    "%p is a user name like others",
    async (userName) => {
      expect(await describeResponse(await send("POST", "/api/users", { name: "Ada", userName }))).toBe("201");
    },
  );
});

describe("a user that has had such a user name before it was refused", () => {
  let stored: { id: number; userName: string };
  let service: TestService;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await emptyDatabaseOn("sqlite");
    drop = database.drop;
    const earlier = await startServiceOn(database.url);
    stored = await (
      await earlier.call("/api/users", { method: "POST", json: { name: "Ada", userName: "rosters5" } })
    ).json();
    await earlier.stop();
    using file = new Database(database.url);
    file.run(
      "UPDATE users SET json = replace(json, 'rosters5', 'roster-5'), user_name_key = replace(user_name_key, 'rosters5', 'roster-5')",
    );
    service = await startServiceOn(database.url);
  });
  afterAll(async () => {
    await service.stop();
    await drop();
  });
  const send = (method: string, json: unknown) => service.call(`/api/users/${stored.id}`, { method, json });

  test("can be changed while it keeps the user name", async () => {
    expect(await describeResponse(await send("PATCH", { title: "Engineer" }))).toBe("200");
    expect(await describeResponse(await send("PATCH", { title: "Boss", userName: "roster-5" }))).toBe("200");
    const { id, ...record } = await (await send("PUT", { name: "Ada King", userName: "roster-5" })).json();
    expect(record).toMatchObject({ name: "Ada King", userName: "roster-5" });
  });

  test("cannot get another one of this form, and can get any other", async () => {
    expect(await errorsOf(send("PATCH", { userName: "roster-6" }))).toEqual([422, refused]);
    expect(await describeResponse(await send("PATCH", { userName: "ada" }))).toBe("200");
    expect(await errorsOf(send("PATCH", { userName: "roster-5" }))).toEqual([422, refused]);
  });
});
