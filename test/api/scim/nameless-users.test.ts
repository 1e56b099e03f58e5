import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { patchOf, type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(60_000);

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
  });
  afterAll(() => service.stop());

  const create = async (user: object): Promise<string> => {
    const { id } = await (await service.api("/api/users", { method: "POST", json: user })).json();
    return String(id);
  };
  const record = async (id: string) => (await service.api(`/api/users/${id}`)).json();

  describe("a user without a user name and an email, to whom a client gives an email,", () => {
    test("has the email as user name, also when the client repeats what it has read", async () => {
      const id = await create({ name: "Ada" });
      const { body } = await scim.expect(`GET /Users/${id}`);
      expect(body.userName).toBe(`roster-${id}`);
      const emails = [{ value: "ada@example.com", type: "work", primary: true }];
      const first = await scim.expect(`PUT /Users/${id}`, { ...body, emails });
      expect(first.body).toMatchObject({ userName: "ada@example.com", emails });
      expect((await scim.expect(`PUT /Users/${id}`, { ...body, emails })).body).toEqual(first.body);
      expect(await record(id)).toMatchObject({ name: "Ada", email: "ada@example.com", version: 2 });
      expect((await scim.expect(`PUT /Users/${id}`, first.body)).body.userName).toBe("ada@example.com");
      expect(await record(id)).toMatchObject({ userName: "ada@example.com", version: 3 });
    });

    test("shows an address that is the user name of another user, and has no email", async () => {
      await create({ name: "Grace", userName: "Grace@example.com" });
      const id = await create({ name: "Ada" });
      const emails = [{ value: "grace@example.com", type: "work" }];
      const add = patchOf({ op: "add", path: "emails", value: emails });
      const { body } = await scim.expect(`PATCH /Users/${id}`, add);
      expect(body).toMatchObject({ userName: `roster-${id}`, emails });
      expect((await record(id)).email).toBeUndefined();
    });

    test("cannot have the name that stands for another user", async () => {
      const id = await create({ name: "Ada" });
      const taken = { userName: `roster-${Number(id) - 1}`, displayName: "Ada" };
      expect(await scim.outcome(`PUT /Users/${id}`, taken)).toBe("400 invalidValue");
    });
  });
});
