import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";

const main = { type: "work", primary: true, display: "Ada" };
const home = { value: "ada@home.example", type: "home" };

onEachEngine((engine) => {
  let service: TestService;
  let created = 0;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());

  const send = async (method: string, path: string, json: unknown) =>
    (await service.call(path, { method, json })).json();
  /** A user with an email, and entries one of which belongs to it. */
  const create = (emails: unknown = [home, main]) =>
    send("POST", "/api/users", { name: "Ada", email: `ada${++created}@example.com`, emails });
  const read = async (id: number) => (await service.call(`/api/users/${id}`)).json();

  describe("a user whose email is removed loses the entry that belongs to it", () => {
    test("by a PATCH", async () => {
      const { id } = await create();
      expect((await send("PATCH", `/api/users/${id}`, { email: null })).emails).toEqual([home]);
    });

    test("by a PUT with the same entries", async () => {
      const { id, emails } = await create();
      expect((await send("PUT", `/api/users/${id}`, { name: "Ada", emails })).emails).toEqual([home]);
    });

    test("by a bulk change", async () => {
      const { id } = await create();
      await send("POST", "/api/users/bulk", { ids: [id], patch: { email: null } });
      expect((await read(id)).emails).toEqual([home]);
    });

    test("by an import", async () => {
      const { id } = await create();
      const body = `${JSON.stringify({ id, email: null })}\n`;
      const headers = { "content-type": "application/x-ndjson" };
      const path = "/api/users/import?match=id&onConflict=update";
      await (await service.call(path, { method: "POST", headers, body })).text();
      expect((await read(id)).emails).toEqual([home]);
    });

    test("by a restore", async () => {
      const { id } = await create();
      await service.call(`/api/users/${id}`, { method: "DELETE" });
      expect((await send("POST", `/api/deleted-users/${id}/restore`, { email: null })).emails).toEqual([
        home,
      ]);
    });

    test("and the field, if no other entry is left", async () => {
      const { id } = await create([main]);
      expect(await send("PATCH", `/api/users/${id}`, { email: null })).not.toHaveProperty("emails");
    });

    test("and the event says so", async () => {
      const { id } = await create();
      await send("PATCH", `/api/users/${id}`, { email: null });
      const events = await (await service.call(`/api/users/${id}/events`)).json();
      const changes = events.map((event: { changes: object }) => event.changes);
      expect(changes).toContainEqual(expect.objectContaining({ emails: { from: [home, main], to: [home] } }));
    });
  });

  test("another email keeps the entries", async () => {
    const { id, emails } = await create();
    const email = `other${id}@example.com`;
    expect((await send("PATCH", `/api/users/${id}`, { email })).emails).toEqual(emails);
  });

  test("entries of another form stay without an email", async () => {
    const emails = [{ address: "ada@example.com" }, "ada@home.example", null, { value: null }];
    const { id } = await create(emails);
    expect((await send("PATCH", `/api/users/${id}`, { email: null })).emails).toEqual(emails);
  });

  test.each([["text"], [5], [{}], [[]]])("emails that are %p stay without an email", async (emails) => {
    const { id } = await create(emails);
    expect((await send("PATCH", `/api/users/${id}`, { email: null })).emails).toEqual(emails);
  });
});
