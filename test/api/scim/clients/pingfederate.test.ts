import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { onAnyEngine } from "../../../support/engines.ts";
import { Directory } from "./support/directory.ts";
import { coreGroup, coreUser, type ProvisioningClient, patch } from "./support/provisioning-client.ts";

setDefaultTimeout(60_000);

onAnyEngine((engine) => {
  const directory = new Directory(engine);
  let pingfederate: ProvisioningClient;
  beforeAll(async () => {
    pingfederate = await directory.connect("PingFederate", { accept: "application/json" });
  });

  const newUser = (userName: string, more: object = {}) => ({
    schemas: [coreUser],
    userName,
    name: { givenName: "Janet", familyName: "Smith" },
    emails: [{ value: `${userName}@ping.example`, type: "work", primary: true }],
    active: true,
    ...more,
  });
  const createUser = async (userName: string, more: object = {}) =>
    (await pingfederate.send("POST /Users", { json: newUser(userName, more), status: 201 })).id;

  test("with the client credentials of a key, an access token does what the key does", async () => {
    const headers = { accept: "application/json" };
    const client = await directory.connectWithToken("PingFederate by token", headers);
    const { id } = await client.send("POST /Users", { json: newUser("token"), status: 201 });
    await client.send('GET /Users?filter=userName eq "token"', { status: 200, finds: [id] });
    const [event] = await directory.events(id);
    expect(event).toMatchObject({ actor: { type: "key", name: "PingFederate by token" } });
  });

  test("users are matched by user name, or by work email", async () => {
    const id = await createUser("jsmith");
    await pingfederate.send('GET /Users?filter=userName eq "jsmith"', { status: 200, finds: [id] });
    await pingfederate.send('GET /Users?filter=emails eq "jsmith@ping.example"', {
      status: 200,
      finds: [id],
    });
    await pingfederate.send('GET /Users?filter=emails.value eq "JSmith@Ping.Example"', {
      status: 200,
      finds: [id],
    });
    await pingfederate.send('GET /Users?filter=emails eq "jsmith"', { status: 200, finds: [] });
  });

  test("a disabled user is created, enabled, disabled and deleted", async () => {
    const id = await createUser("disabled", { active: false });
    expect(await directory.user(id)).toMatchObject({ active: false, name: "Janet Smith" });
    for (const active of [true, false]) {
      await pingfederate.send(`PUT /Users/${id}`, {
        json: newUser("disabled", { active }),
        status: 200,
        includes: { active },
      });
    }
    await pingfederate.send(`DELETE /Users/${id}`, { status: 204 });
    expect(await directory.history(id)).toEqual(["created", "updated", "updated", "deleted"]);
  });

  test("a user that is renamed keeps its id", async () => {
    const id = await createUser("before");
    await pingfederate.send(`PATCH /Users/${id}`, {
      json: patch({ op: "replace", path: "userName", value: "after" }),
      status: 200,
      includes: { id, userName: "after" },
    });
    await pingfederate.send('GET /Users?filter=userName eq "before"', { status: 200, finds: [] });
  });

  test("group memberships are merged with PATCH, or overwritten with PUT", async () => {
    const [one, two] = [await createUser("one"), await createUser("two")];
    const group = { schemas: [coreGroup], displayName: "Merged" };
    const { id } = await pingfederate.send("POST /Groups", {
      json: { ...group, members: [{ value: one }] },
      status: 201,
    });
    await pingfederate.send(`PATCH /Groups/${id}`, {
      json: patch({ op: "add", path: "members", value: [{ value: two }] }),
      status: 204,
    });
    expect((await directory.members(id)).sort()).toEqual([one, two].sort());
    await pingfederate.send(`PUT /Groups/${id}`, {
      json: { ...group, members: [{ value: two }] },
      status: 200,
      includes: { members: [{ value: two }] },
    });
    expect(await directory.members(id)).toEqual([two]);
  });
});
