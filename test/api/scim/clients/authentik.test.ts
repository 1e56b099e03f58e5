import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { onAnyEngine } from "../../../support/engines.ts";
import { Directory } from "./support/directory.ts";
import { coreGroup, coreUser, type ProvisioningClient, patch } from "./support/provisioning-client.ts";

setDefaultTimeout(60_000);

onAnyEngine((engine) => {
  const directory = new Directory(engine);
  let authentik: ProvisioningClient;
  beforeAll(async () => {
    authentik = await directory.connect("authentik", { accept: "application/scim+json" });
  });

  const newUser = (userName: string, more: object = {}) => ({
    schemas: [coreUser],
    userName,
    name: { formatted: "Test Person", givenName: "Test", familyName: "Person" },
    displayName: "Test Person",
    active: true,
    emails: [{ value: userName, type: "other", primary: true }],
    externalId: `uid-${userName}`,
    ...more,
  });
  const createUser = async (userName: string) =>
    (await authentik.send("POST /Users", { json: newUser(userName), status: 201 })).id;
  const createGroup = async (displayName: string) =>
    (
      await authentik.send("POST /Groups", {
        json: { schemas: [coreGroup], externalId: `pk-${displayName}`, displayName },
        status: 201,
      })
    ).id;

  /** authentik sends one operation for each member, with at most as many operations as the service takes in bulk. */
  const perMember = (op: string, ids: readonly string[]) =>
    patch(...ids.map((value) => ({ op, path: "members", value: [{ value }] })));

  test("the configuration of the service says what authentik may use", async () => {
    const { body } = await authentik.send("GET /ServiceProviderConfig", {
      status: 200,
      includes: { patch: { supported: true }, filter: { supported: true, maxResults: 1000 } },
    });
    expect(body).toMatchObject({ bulk: { maxOperations: expect.any(Number) } });
  });

  test("a user is created, and replaced with its id in the body", async () => {
    const id = await createUser("replaced@authentik.example");
    await authentik.send(`PUT /Users/${id}`, {
      json: newUser("replaced@authentik.example", { id, displayName: "Renamed" }),
      status: 200,
      includes: {
        displayName: "Renamed",
        emails: [{ value: "replaced@authentik.example", type: "other", primary: true }],
      },
    });
    expect(await directory.user(id)).toMatchObject({ name: "Renamed", email: "replaced@authentik.example" });
  });

  test("a group that exists is found by its name after 409", async () => {
    const id = await createGroup("Existing");
    await authentik.send("POST /Groups", {
      json: { schemas: [coreGroup], displayName: "Existing" },
      status: 409,
      scimType: "uniqueness",
    });
    await authentik.send("GET /Groups?filter=displayName+eq+%22Existing%22", { status: 200, finds: [id] });
  });

  test("a group gets its members by one operation for each, and the difference later", async () => {
    const users: string[] = [];
    for (let i = 0; i < 30; i++) users.push(await createUser(`member-${i}@authentik.example`));
    const group = await createGroup("Many operations");
    await authentik.send(`PATCH /Groups/${group}`, {
      json: perMember("add", users.slice(0, 20)),
      status: 204,
    });
    const { body } = await authentik.send(`GET /Groups/${group}`, { status: 200 });
    expect(body.members).toHaveLength(20);
    const difference = patch(
      ...perMember("add", users.slice(20)).Operations,
      ...perMember("remove", users.slice(0, 10)).Operations,
    );
    await authentik.repeat(`PATCH /Groups/${group}`, { json: difference, status: 204 });
    expect((await directory.members(group)).sort()).toEqual(users.slice(10).sort());
    expect(await directory.history(group)).toEqual(["created", "members_changed", "members_changed"]);
  });

  test("a change of a group replaces the whole group without a path, and keeps the members", async () => {
    const user = await createUser("kept@authentik.example");
    const group = await createGroup("Before");
    await authentik.send(`PATCH /Groups/${group}`, { json: perMember("add", [user]), status: 204 });
    const value = { schemas: [coreGroup], id: group, externalId: "pk-Before", displayName: "After" };
    await authentik.repeat(`PATCH /Groups/${group}`, { json: patch({ op: "replace", value }), status: 204 });
    expect(await directory.group(group)).toEqual({ name: "After", externalId: "pk-Before" });
    expect(await directory.members(group)).toEqual([user]);
  });

  test("the profile for AWS sends the name and the external id as operations", async () => {
    const group = await createGroup("Profile");
    await authentik.send(`PATCH /Groups/${group}`, {
      json: patch(
        { op: "replace", path: "displayName", value: "Profile 2" },
        { op: "replace", path: "externalId", value: "pk-2" },
      ),
      status: 204,
    });
    expect(await directory.group(group)).toEqual({ name: "Profile 2", externalId: "pk-2" });
  });

  test("a discovery reads all groups without count, from the number of groups that it has seen", async () => {
    const seen: string[] = [];
    for (
      let total = 1, path = "/Groups";
      seen.length < total;
      path = `/Groups?startIndex=${seen.length + 1}`
    ) {
      const page = await authentik.send(`GET ${path}`, { status: 200 });
      total = page.totalResults;
      seen.push(...page.ids);
    }
    expect(seen).toHaveLength(await directory.groupCount());
  });
});
