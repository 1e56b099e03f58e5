import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { JsonObject } from "../../../../src/contract/json.ts";
import { onEachEngine } from "../../../support/engines.ts";
import { Directory } from "./support/directory.ts";
import { coreGroup, coreUser, type ProvisioningClient, patch } from "./support/provisioning-client.ts";

setDefaultTimeout(60_000);

const CUSTOM_GROUP = "urn:okta:custom:group:1.0";

const oktaHeaders = {
  "user-agent": "Okta SCIM Client 1.0.0",
  "content-type": "application/scim+json; charset=utf-8",
  "accept-charset": "utf-8",
};

onEachEngine((engine) => {
  const directory = new Directory(engine);
  let okta: ProvisioningClient;
  beforeAll(async () => {
    okta = await directory.connect("Okta", oktaHeaders);
  });

  const newUser = (userName: string, more: object = {}) => ({
    schemas: [coreUser],
    userName,
    name: { givenName: "Test", familyName: "User" },
    emails: [{ primary: true, value: userName, type: "work" }],
    displayName: "Test User",
    locale: "en-US",
    externalId: `00u-${userName}`,
    groups: [],
    password: "correct-horse-1mz050nq",
    active: true,
    ...more,
  });

  const shownUser = (userName: string, more: object = {}) => {
    const { schemas: _schemas, groups: _groups, password: _password, ...shown } = newUser(userName, more);
    return shown;
  };

  const createUser = async (userName: string, more: object = {}) =>
    (await okta.send("POST /Users", { json: newUser(userName, more), status: 201 })).id;

  const pushGroup = async (displayName: string) =>
    (
      await okta.send("POST /Groups", {
        json: { schemas: [coreGroup], displayName, members: [] },
        status: 201,
        shows: { displayName, members: [] },
      })
    ).id;

  const member = (id: string) => ({ value: id, display: `user-${id}@okta.example` });

  describe("Okta connects", () => {
    test("the first pages of users and groups are lists", async () => {
      const page = { status: 200, includes: { startIndex: 1 } };
      await okta.send("GET /Users?startIndex=1&count=2", page);
      await okta.send("GET /Groups?startIndex=1&count=100", page);
      await okta.send("GET /ServiceProviderConfig", {
        status: 200,
        includes: {
          patch: { supported: true },
          filter: { supported: true },
          changePassword: { supported: false },
        },
      });
    });

    test("its specification test: list, read, match, create, create again, match in capitals", async () => {
      await createUser("spec@okta.example");
      const first = await okta.send("GET /Users?count=1&startIndex=1", { status: 200 });
      expect(first.resources).toHaveLength(1);
      const [id = ""] = first.ids;
      await okta.send(`GET /Users/${id}`, {
        status: 200,
        includes: { id, active: true, emails: [expect.objectContaining({ type: "work" })] },
      });
      await okta.send('GET /Users?filter=userName eq "abcdefgh@atko.example"', { status: 200, finds: [] });
      await okta.send("GET /Users/010101001010101011001010101011", { status: 404, scimType: null });
      const second = await createUser("runscope@okta.example");
      await okta.send(`GET /Users/${second}`, { status: 200, shows: shownUser("runscope@okta.example") });
      await okta.send("POST /Users", {
        json: newUser("runscope@okta.example"),
        status: 409,
        scimType: "uniqueness",
      });
      await okta.send('GET /Users?filter=userName eq "RUNSCOPE@OKTA.EXAMPLE"', {
        status: 200,
        finds: [second],
      });
    });
  });

  describe("Okta manages users", () => {
    test("a user is matched, created, and its password is stored nowhere", async () => {
      const userName = "password@okta.example";
      await okta.send(`GET /Users?filter=userName eq "${userName}"&startIndex=1&count=100`, {
        status: 200,
        finds: [],
      });
      const { id } = await okta.send("POST /Users", {
        json: newUser(userName),
        status: 201,
        shows: shownUser(userName),
      });
      await okta.send(`GET /Users?filter=userName eq "${userName}"&startIndex=1&count=100`, {
        status: 200,
        finds: [id],
      });
      const before = await okta.send(`GET /Users/${id}`, { status: 200 });
      const synced = await okta.send(`PATCH /Users/${id}`, {
        json: patch({ op: "replace", value: { password: "correct-horse-2mz050nq" } }),
        status: 200,
      });
      expect(synced.body).toEqual(before.body);
      expect(await directory.history(id)).toEqual(["created"]);
      expect(await directory.everything()).not.toContain("correct-horse");
      expect(directory.log.join("\n")).not.toContain("correct-horse");
    });

    test("PUT of what GET returned changes nothing", async () => {
      const id = await createUser("same@okta.example", {
        emails: [
          { primary: true, value: "same@okta.example", type: "work", display: "same@okta.example" },
          { primary: false, value: "same@home.example", type: "home" },
        ],
        phoneNumbers: [{ primary: true, value: "123-555-5555", type: "mobile" }],
        [CUSTOM_GROUP]: { kept: true },
      });
      const read = await okta.send(`GET /Users/${id}`, { status: 200 });
      const written = await okta.repeat(`PUT /Users/${id}`, { json: read.body, status: 200 });
      expect(written.body).toEqual(read.body);
      expect(await directory.history(id)).toEqual(["created"]);
    });

    test("PUT of what GET returned with a changed name is one change", async () => {
      const userName = "excited@okta.example";
      const id = await createUser(userName);
      const { body } = await okta.send(`GET /Users/${id}`, { status: 200 });
      const name = { givenName: "Another", middleName: "Excited", familyName: "User" };
      const shows = shownUser(userName, { name });
      const json = { ...body, name, groups: [] };
      const first = await okta.send(`PUT /Users/${id}`, { json, status: 200, shows });
      const second = await okta.send(`PUT /Users/${id}`, { json, status: 200, shows });
      expect(second.version).toBe(first.version);
      expect(await directory.history(id)).toEqual(["created", "updated"]);
    });

    test("PUT clears what the body omits, except active and the fields of others", async () => {
      const userName = "cleared@okta.example";
      const id = await createUser(userName, { title: "Analyst", nickName: "T", active: false });
      await directory.changeUser(id, { desk: 12 });
      const { active: _active, locale: _locale, ...body } = newUser(userName);
      const { locale: _, ...shown } = shownUser(userName, { active: false });
      await okta.send(`PUT /Users/${id}`, {
        json: body,
        status: 200,
        shows: { ...shown, "urn:ietf:params:scim:schemas:extension:roster:2.0:User": { desk: 12 } },
      });
      const record = await directory.user(id);
      expect(record).toMatchObject({ desk: 12, active: false, name: "Test User" });
      for (const field of ["title", "nickName", "locale"]) expect(record).not.toHaveProperty(field);
    });

    test("a user is deactivated without a path, reassigned, and has the same id", async () => {
      const userName = "reassigned@okta.example";
      const id = await createUser(userName);
      await okta.repeat(`PATCH /Users/${id}`, {
        json: patch({ op: "replace", value: { active: false } }),
        status: 200,
        shows: shownUser(userName, { active: false }),
      });
      await okta.send(`GET /Users?filter=userName eq "${userName}"`, { status: 200, finds: [id] });
      await okta.send("POST /Users", { json: newUser(userName), status: 409, scimType: "uniqueness" });
      await okta.send(`PUT /Users/${id}`, {
        json: newUser(userName, { displayName: "Back Again" }),
        status: 200,
        shows: shownUser(userName, { displayName: "Back Again" }),
      });
      await okta.send(`PATCH /Users/${id}`, {
        json: patch({ op: "replace", value: { active: true } }),
        status: 200,
        shows: shownUser(userName, { displayName: "Back Again" }),
      });
      expect(await directory.history(id)).toEqual(["created", "updated", "updated"]);
    });

    test("an integration of the wizard deactivates with PUT", async () => {
      const id = await createUser("wizard@okta.example");
      const { body } = await okta.send(`GET /Users/${id}`, { status: 200 });
      await okta.send(`PUT /Users/${id}`, {
        json: { ...body, active: false },
        status: 200,
        shows: shownUser("wizard@okta.example", { active: false }),
      });
      expect(await directory.user(id)).toMatchObject({ active: false });
    });

    test("PUT to another user's user name is 409, and changes nothing", async () => {
      await createUser("holder@okta.example");
      const id = await createUser("loser@okta.example");
      await okta.send(`PUT /Users/${id}`, {
        json: newUser("Holder@Okta.Example", { displayName: "Changed" }),
        status: 409,
        scimType: "uniqueness",
      });
      await okta.send(`GET /Users/${id}`, { status: 200, shows: shownUser("loser@okta.example") });
      await okta.send("PUT /Users/987654321", {
        json: newUser("none@okta.example"),
        status: 404,
        scimType: null,
      });
    });
  });

  describe("Okta pushes groups", () => {
    test("with PUT, all members are in the body", async () => {
      const group = await pushGroup("All members");
      const [one, two, three] = [
        await createUser("one@put.example"),
        await createUser("two@put.example"),
        await createUser("three@put.example"),
      ];
      const push = async (displayName: string, members: readonly string[]) => {
        const answer = await okta.repeat(`PUT /Groups/${group}`, {
          json: { schemas: [coreGroup], id: group, displayName, members: members.map(member) },
          status: 200,
          includes: { displayName, members: members.map((value) => ({ value, type: "User" })) },
        });
        expect((await directory.members(group)).sort()).toEqual([...members].sort());
        return answer;
      };
      await push("All members", [one, two]);
      await push("All members", [two, three]);
      const pushed = await push("All of them", [two, three]);
      const read = await okta.send(`GET /Groups/${group}`, { status: 200 });
      expect(read.body).toEqual(pushed.body);
      await push("All of them", []);
      expect((await directory.history(group)).filter((type) => type === "members_changed")).toHaveLength(3);
    });

    test("PUT without members keeps them, and an empty list empties the group", async () => {
      const group = await pushGroup("Emptied");
      const user = await createUser("emptied@put.example");
      const json = { schemas: [coreGroup], displayName: "Emptied" };
      const put = (members: readonly object[] | undefined, shown: readonly object[]) =>
        okta.send(`PUT /Groups/${group}`, {
          json: { ...json, members },
          status: 200,
          includes: { displayName: "Emptied", members: shown },
        });
      await put([member(user)], [{ value: user }]);
      await put(undefined, [{ value: user }]);
      await put([], []);
      expect(await directory.members(group)).toEqual([]);
    });

    test("with PATCH, the name comes with the id in the value", async () => {
      const group = await pushGroup("Old name");
      const rename = patch({ op: "replace", value: { id: group, displayName: "New name" } });
      await okta.repeat(`PATCH /Groups/${group}`, { json: rename, status: 204 });
      expect(await directory.group(group)).toEqual({ name: "New name" });
      expect(await directory.history(group)).toEqual(["created", "updated"]);
      await okta.send('GET /Groups?filter=displayName eq "New name"&startIndex=1&count=100', {
        status: 200,
        finds: [group],
      });
    });

    test("with PATCH, members are removed by a filter and added with their display", async () => {
      const group = await pushGroup("Filtered");
      const [one, two] = [await createUser("one@patch.example"), await createUser("two@patch.example")];
      await okta.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "add", path: "members", value: [member(one)] }),
        status: 204,
      });
      const swap = patch(
        { op: "remove", path: `members[value eq "${one}"]` },
        { op: "add", path: "members", value: [member(two)] },
      );
      await okta.repeat(`PATCH /Groups/${group}`, { json: swap, status: 204 });
      expect(await directory.members(group)).toEqual([two]);
      expect(await directory.everything()).not.toContain("user-");
      await okta.send(`GET /Groups/${group}`, {
        status: 200,
        includes: {
          members: [{ value: two, type: "User", $ref: expect.stringMatching(new RegExp(`/Users/${two}$`)) }],
        },
      });
      await okta.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "replace", path: "members", value: [member(one), member(two)] }),
        status: 204,
      });
      expect((await directory.members(group)).sort()).toEqual([one, two].sort());
    });

    test("the extension of Okta is kept and comes back", async () => {
      const extension = { description: "The first group", visible: true };
      const { id } = await okta.send("POST /Groups", {
        json: {
          schemas: [coreGroup, CUSTOM_GROUP],
          displayName: "Custom",
          members: [],
          [CUSTOM_GROUP]: extension,
        },
        status: 201,
        shows: { displayName: "Custom", members: [], [CUSTOM_GROUP]: extension },
      });
      await okta.send(`PATCH /Groups/${id}`, {
        json: patch({ op: "replace", path: `${CUSTOM_GROUP}:description`, value: "Renamed" }),
        status: 204,
      });
      const { body } = await okta.send(`GET /Groups/${id}`, {
        status: 200,
        includes: { [CUSTOM_GROUP]: { description: "Renamed", visible: true } },
      });
      expect(body.schemas).toEqual([coreGroup, CUSTOM_GROUP]);
      await okta.send(`PUT /Groups/${id}`, {
        json: { schemas: [coreGroup], displayName: "Custom", members: [] },
        status: 200,
        includes: { [CUSTOM_GROUP]: { description: "Renamed", visible: true } },
      });
      expect(await directory.group(id)).toEqual({
        name: "Custom",
        scim: { extensions: { [CUSTOM_GROUP]: { description: "Renamed", visible: true } } },
      });
    });

    test("an unlinked group is deleted, and its members stay", async () => {
      const group = await pushGroup("Unlinked");
      const user = await createUser("unlinked@okta.example");
      await okta.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "add", path: "members", value: [member(user)] }),
        status: 204,
      });
      await okta.send(`DELETE /Groups/${group}`, { status: 204 });
      await okta.send(`GET /Groups/${group}`, { status: 404, scimType: null });
      await okta.send(`GET /Users/${user}`, { status: 200, shows: shownUser("unlinked@okta.example") });
    });
  });

  describe("Okta imports", () => {
    /** Reads pages as Okta does: it adds 100 to `startIndex`, whatever the page held. */
    async function importAll(path: string, betweenPages: () => Promise<unknown>): Promise<JsonObject[]> {
      const found: JsonObject[] = [];
      for (let startIndex = 1; ; startIndex += 100) {
        const page = await okta.send(`GET ${path}?startIndex=${startIndex}&count=100`, {
          status: 200,
          includes: { startIndex },
        });
        found.push(...page.resources);
        if (page.totalResults < startIndex + 100) return found;
        expect(page.resources).toHaveLength(100);
        await betweenPages();
      }
    }

    test("every user is imported once, while users are created between the pages", async () => {
      const before = await Promise.all(
        Array.from({ length: 230 }, (_, i) => directory.createUser({ name: `Imported ${i}` })),
      );
      let created = 0;
      const imported = await importAll("/Users", async () => {
        for (let i = 0; i < 7; i++) await directory.createUser({ name: `Created ${created++}` });
      });
      const ids = imported.map(({ id }) => String(id));
      expect(new Set(ids).size).toBe(ids.length);
      expect(before.filter((id) => !ids.includes(id))).toEqual([]);
      expect(ids).toEqual([...ids].sort((one, other) => Number(one) - Number(other)));
      expect(ids).toHaveLength(await directory.userCount());
    });

    test("every group is imported once", async () => {
      const names = Array.from({ length: 120 }, (_, i) => `Imported ${i}`);
      const before: string[] = [];
      for (const name of names) before.push(await pushGroup(name));
      const imported = await importAll("/Groups", async () => undefined);
      const ids = imported.map(({ id }) => String(id));
      expect(new Set(ids).size).toBe(ids.length);
      expect(before.filter((id) => !ids.includes(id))).toEqual([]);
    });
  });
});
