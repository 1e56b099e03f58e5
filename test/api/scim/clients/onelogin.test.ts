import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onAnyEngine } from "../../../support/engines.ts";
import { Directory } from "./support/directory.ts";
import { type ProvisioningClient, patch } from "./support/provisioning-client.ts";

setDefaultTimeout(60_000);

/** OneLogin sends URNs of SCIM 1.1, and of drafts of 2.0, to servers of SCIM 2.0. */
const oldSchemas = [
  ["urn:scim:schemas:core:1.0", "urn:scim:schemas:extension:enterprise:1.0"],
  ["urn:scim:schemas:core:2.0", "urn:scim:schemas:extension:enterprise:2.0"],
] as const;

onAnyEngine((engine) => {
  const directory = new Directory(engine);
  let onelogin: ProvisioningClient;
  beforeAll(async () => {
    onelogin = await directory.connect("OneLogin", { "content-type": "application/json" });
  });

  for (const [core, extension] of oldSchemas) {
    describe(`OneLogin with ${core} in schemas`, () => {
      const userName = `${core.replaceAll(":", "-")}@onelogin.example`;
      const body = (more: object = {}) => ({
        schemas: [core, extension],
        userName,
        name: { familyName: " User 01", givenName: "Test" },
        displayName: "Test User 01",
        emails: [{ value: userName, type: "work", primary: true }],
        phoneNumbers: [{ value: "", type: "work" }],
        title: "",
        active: true,
        [extension]: { department: "Sales", manager: {} },
        ...more,
      });

      test("a user is looked up with & at the end, created, and replaced with ? at the end", async () => {
        const lookUp = `GET /Users?filter=userName+eq+%22${userName}%22&`;
        await onelogin.send(lookUp, { status: 200, finds: [] });
        const { id } = await onelogin.send("POST /Users?", {
          json: body(),
          status: 201,
          includes: {
            userName,
            displayName: "Test User 01",
            active: true,
            [extension]: { department: "Sales" },
          },
        });
        await onelogin.send(lookUp, { status: 200, finds: [id] });
        await onelogin.send(`GET /Users/${id}?`, { status: 200, includes: { userName } });
        await onelogin.send(`PUT /Users/${id}?`, {
          json: body({ displayName: "Renamed User" }),
          status: 200,
          includes: { displayName: "Renamed User", emails: [{ value: userName }] },
        });
        expect(await directory.user(id)).toMatchObject({
          name: "Renamed User",
          email: userName,
          givenName: "Test",
        });
        await onelogin.send(`PUT /Users/${id}?`, {
          json: body({ active: false }),
          status: 200,
          includes: { active: false },
        });
        await onelogin.send(`DELETE /Users/${id}?`, { status: 204 });
        await onelogin.send(lookUp, { status: 200, finds: [] });
      });
    });
  }

  test("groups are listed as entitlements, and users are added and removed one by one", async () => {
    const { id: user } = await onelogin.send("POST /Users", {
      json: { schemas: ["urn:scim:schemas:core:1.0"], userName: "entitled@onelogin.example" },
      status: 201,
    });
    const { id: group } = await onelogin.send("POST /Groups?", {
      json: { schemas: ["urn:scim:schemas:core:1.0"], displayName: "Entitled" },
      status: 201,
    });
    await onelogin.send("GET /Groups?", { status: 200, finds: [group] });
    await onelogin.send("GET /Groups?&startIndex=1&", { status: 200, finds: [group] });
    await onelogin.send(`PATCH /Groups/${group}?`, {
      json: patch({ op: "add", path: "members", value: [{ value: user }] }),
      status: 204,
    });
    expect(await directory.members(group)).toEqual([user]);
    await onelogin.send(`PATCH /Groups/${group}?`, {
      json: patch({ op: "remove", path: `members[value eq "${user}"]` }),
      status: 204,
    });
    expect(await directory.members(group)).toEqual([]);
  });
});
