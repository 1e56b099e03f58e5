import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { onAnyEngine } from "../../../support/engines.ts";
import { Directory } from "./support/directory.ts";
import {
  coreGroup,
  coreUser,
  enterprise,
  type ProvisioningClient,
  patch,
} from "./support/provisioning-client.ts";

setDefaultTimeout(60_000);

onAnyEngine((engine) => {
  const directory = new Directory(engine);
  let jumpcloud: ProvisioningClient;
  beforeAll(async () => {
    jumpcloud = await directory.connect("JumpCloud", { "content-type": "application/json" });
  });

  const newUser = (userName: string, more: object = {}) => ({
    schemas: [coreUser, enterprise],
    userName,
    name: { givenName: "Test", familyName: "Person", formatted: "Test Person" },
    displayName: "Test Person",
    emails: [{ value: userName, type: "work", primary: true }],
    externalId: `jc-${userName}`,
    active: true,
    phoneNumbers: [{ value: "555-1", type: "work" }],
    addresses: [{ type: "work", locality: "Boulder", region: "CO", country: "US" }],
    [enterprise]: { department: "Sales", employeeNumber: "7" },
    ...more,
  });

  const createUser = async (userName: string) =>
    (await jumpcloud.send("POST /Users", { json: newUser(userName), status: 201 })).id;

  test("activation creates, replaces and deletes a test user and a test group", async () => {
    await jumpcloud.send("GET /Users", { status: 200, includes: { startIndex: 1 } });
    const userName = "activation@jumpcloud.example";
    await jumpcloud.send(`GET /Users?filter=userName eq "${userName}"`, { status: 200, finds: [] });
    const user = await createUser(userName);
    await jumpcloud.send(`GET /Users/${user}`, { status: 200, includes: { id: user, userName } });
    await jumpcloud.send(`PUT /Users/${user}`, {
      json: newUser(userName, { name: { givenName: "Changed", familyName: "Person" } }),
      status: 200,
      includes: { name: { givenName: "Changed" } },
    });
    const { id: group } = await jumpcloud.send("POST /Groups", {
      json: { schemas: [coreGroup], displayName: "Activation" },
      status: 201,
    });
    await jumpcloud.send(`PUT /Groups/${group}`, {
      json: { schemas: [coreGroup], displayName: "Activation 2", members: [{ value: user }] },
      status: 200,
      includes: { displayName: "Activation 2", members: [{ value: user }] },
    });
    await jumpcloud.send(`DELETE /Groups/${group}`, { status: 204 });
    await jumpcloud.send(`DELETE /Users/${user}`, { status: 204 });
    await jumpcloud.send(`GET /Users/${user}`, { status: 404, scimType: null });
  });

  test("changed attributes come in one PATCH, with one operation for each", async () => {
    const user = await createUser("changed@jumpcloud.example");
    await jumpcloud.send(`PATCH /Users/${user}`, {
      json: patch(
        { op: "replace", path: "name.givenName", value: "John" },
        { op: "replace", path: "name.familyName", value: "Doe" },
        { op: "replace", path: "active", value: false },
      ),
      status: 200,
      includes: { name: { givenName: "John", familyName: "Doe" }, active: false },
    });
    expect(await directory.history(user)).toEqual(["created", "updated"]);
  });

  test("the same member is added again and again, and removed with a value", async () => {
    const user = await createUser("member@jumpcloud.example");
    const { id: group } = await jumpcloud.send("POST /Groups", {
      json: { schemas: [coreGroup], displayName: "Repeated", members: [{ value: user }] },
      status: 201,
      includes: { members: [{ value: user }] },
    });
    const add = patch({ op: "add", path: "members", value: [{ value: user }] });
    const remove = patch({ op: "remove", path: "members", value: [{ value: user }] });
    await jumpcloud.repeat(`PATCH /Groups/${group}`, { json: add, status: 204 });
    expect(await directory.members(group)).toEqual([user]);
    await jumpcloud.repeat(`PATCH /Groups/${group}`, { json: remove, status: 204 });
    expect(await directory.members(group)).toEqual([]);
    expect((await directory.history(group)).at(-1)).toBe("members_changed");
  });

  test("an import reads all users and groups page by page", async () => {
    for (const name of ["a", "b", "c"]) await createUser(`${name}@import.example`);
    const total = (await jumpcloud.send("GET /Users?count=0", { status: 200 })).totalResults;
    const ids: string[] = [];
    for (let startIndex = 1; startIndex <= total; startIndex += 2) {
      const page = await jumpcloud.send(`GET /Users?startIndex=${startIndex}&count=2`, { status: 200 });
      expect(page.totalResults).toBe(total);
      ids.push(...page.ids);
    }
    expect(new Set(ids).size).toBe(total);
  });
});
