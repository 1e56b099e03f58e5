import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../../support/engines.ts";
import { Directory } from "./support/directory.ts";
import {
  coreGroup,
  coreUser,
  enterprise,
  type ProvisioningClient,
  patch,
} from "./support/provisioning-client.ts";

setDefaultTimeout(60_000);

/** What Entra adds to the schemas of users for attributes that an administrator defines, and to those of groups. */
const CUSTOM_USER = "urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User";
const ADSCIM_GROUP = "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group";

const MANAGER = `${enterprise}:manager`;

onEachEngine((engine) => {
  const directory = new Directory(engine);
  let entra: ProvisioningClient;
  beforeAll(async () => {
    entra = await directory.connect("Entra ID");
  });

  /** What Entra sends for a new user with the usual mappings. */
  const newUser = (userName: string, more: object = {}) => ({
    schemas: [coreUser, enterprise],
    externalId: `object-of-${userName}`,
    userName,
    active: true,
    displayName: "Ada Lovelace",
    emails: [{ primary: true, type: "work", value: userName }],
    meta: { resourceType: "User" },
    name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
    roles: [],
    ...more,
  });

  /** What SCIM shows of such a user. */
  const shownUser = (userName: string, more: object = {}) => ({
    externalId: `object-of-${userName}`,
    userName,
    active: true,
    displayName: "Ada Lovelace",
    emails: [{ primary: true, type: "work", value: userName }],
    name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
    ...more,
  });

  const createUser = async (userName: string, more: object = {}) =>
    (await entra.send("POST /Users", { json: newUser(userName, more), status: 201 })).id;

  const newGroup = (displayName: string) => ({
    schemas: [coreGroup, ADSCIM_GROUP],
    externalId: `object-of-${displayName}`,
    displayName,
    meta: { resourceType: "Group" },
  });

  const createGroup = async (displayName: string) =>
    (await entra.send("POST /Groups", { json: newGroup(displayName), status: 201 })).id;

  const findGroup = (displayName: string, finds: readonly string[]) =>
    entra.send(`GET /Groups?excludedAttributes=members&filter=displayName eq "${displayName}"`, {
      status: 200,
      finds,
    });

  describe("the connection test of Entra", () => {
    test("a random user and a random group do not exist: 200 and an empty list", async () => {
      const nobody = "20b3ae0c-b1d5-4b0b-8c5c-7c1f2a1f0a36";
      const empty = {
        status: 200,
        finds: [],
        includes: { totalResults: 0, Resources: [], itemsPerPage: 0, startIndex: 1 },
      };
      await entra.send(`GET /Users?filter=userName eq "${nobody}"`, empty);
      await entra.send(`GET /Users?filter=userName+eq+"${nobody}"`, empty);
      await entra.send(`GET /Users?filter=externalId eq "${nobody}"`, empty);
      await entra.send(`GET /Users?filter=emails[type eq "work"].value eq "${nobody}"`, empty);
      await entra.send(`GET /Groups?excludedAttributes=members&filter=displayName eq "${nobody}"`, empty);
    });

    test("the flag of the tenant URL is ignored in queries", async () => {
      await entra.send('GET /Users?aadOptscim062020&filter=userName eq "nobody"', { status: 200, finds: [] });
      await entra.send('GET /Users?aadOptscim062020=true&filter=userName eq "nobody"', {
        status: 200,
        finds: [],
      });
    });

    test("a wrong key is 401", async () => {
      const headers = { authorization: "Bearer nothing" };
      await entra.send('GET /Users?filter=userName eq "nobody"', { headers, status: 401, scimType: null });
    });

    test("schema discovery lists the schemas with camelCase values and without nulls", async () => {
      const { resources } = await entra.send("GET /Schemas", { status: 200 });
      expect(resources.map(({ id }) => id)).toEqual(
        expect.arrayContaining([coreUser, coreGroup, enterprise]),
      );
      const mutabilities = JSON.stringify(resources).match(/"mutability":"\w+"/g) ?? [];
      expect([...new Set(mutabilities)].sort()).toEqual([
        '"mutability":"readOnly"',
        '"mutability":"readWrite"',
      ]);
    });
  });

  describe("Entra matches existing users", () => {
    test("a user that the API has created is found by its email as user name, in any case", async () => {
      const id = await directory.createUser({ name: "Grace Hopper", email: "grace@match.example" });
      const found = { status: 200, finds: [id] };
      await entra.send('GET /Users?filter=userName eq "grace@match.example"', found);
      await entra.send('GET /Users?filter=userName eq "GRACE@Match.Example"', found);
      await entra.send('GET /Users?filter=emails[type eq "work"].value eq "grace@match.example"', found);
      await entra.send(`GET /Users/${id}`, {
        status: 200,
        shows: {
          userName: "grace@match.example",
          displayName: "Grace Hopper",
          active: true,
          emails: [{ value: "grace@match.example", type: "work", primary: true }],
        },
      });
    });

    test("after the match, PATCH takes the user over, and a later email of the API keeps the match", async () => {
      const id = await directory.createUser({ name: "Joan Clarke", email: "joan@match.example", desk: 12 });
      await entra.send(`PATCH /Users/${id}`, {
        json: patch({ op: "Add", path: "externalId", value: "object-of-joan" }),
        status: 200,
        includes: {
          externalId: "object-of-joan",
          userName: "joan@match.example",
          displayName: "Joan Clarke",
        },
      });
      expect(await directory.user(id)).toEqual({
        name: "Joan Clarke",
        email: "joan@match.example",
        userName: "joan@match.example",
        externalId: "object-of-joan",
        desk: 12,
      });
      await directory.changeUser(id, { email: "joan.clarke@match.example" });
      await entra.send('GET /Users?filter=userName eq "joan@match.example"', { status: 200, finds: [id] });
      await entra.send('GET /Users?filter=userName eq "joan.clarke@match.example"', {
        status: 200,
        finds: [],
      });
      await entra.send(`GET /Users/${id}`, {
        status: 200,
        includes: { emails: [{ value: "joan.clarke@match.example", type: "work", primary: true }] },
      });
    });

    test("an external id is compared exactly, with and without quotes", async () => {
      const id = await createUser("exact@match.example", { externalId: "AbC-2015.x" });
      await entra.send('GET /Users?filter=externalId eq "AbC-2015.x"', { status: 200, finds: [id] });
      await entra.send("GET /Users?filter=externalId eq AbC-2015.x", { status: 200, finds: [id] });
      await entra.send('GET /Users?filter=externalId eq "abc-2015.x"', { status: 200, finds: [] });
    });

    test("two comparisons joined by and match what both match", async () => {
      const id = await createUser("both@match.example");
      const work = 'emails[type eq "work"].value eq "both@match.example"';
      await entra.send(`GET /Users?filter=${work} and userName eq "both@match.example"`, {
        status: 200,
        finds: [id],
      });
      await entra.send(`GET /Users?filter=${work} and userName eq "other@match.example"`, {
        status: 200,
        finds: [],
      });
    });
  });

  describe("Entra creates users", () => {
    test("nulls, empty lists and a schema of its own: 201, and nothing unassigned comes back", async () => {
      const userName = "nulls@create.example";
      const { id, body } = await entra.send("POST /Users", {
        json: newUser(userName, {
          schemas: [coreUser, enterprise, CUSTOM_USER],
          addresses: null,
          nickName: null,
          phoneNumbers: [],
          title: null,
          preferredLanguage: null,
          [enterprise]: { department: "Engines", employeeNumber: null, manager: null },
          [CUSTOM_USER]: { tag: "701984", other: null },
        }),
        status: 201,
        shows: shownUser(userName, {
          [enterprise]: { department: "Engines" },
          [CUSTOM_USER]: { tag: "701984" },
        }),
      });
      expect(body.schemas).toEqual([coreUser, enterprise, CUSTOM_USER]);
      const { scim, active, ...record } = await directory.user(id);
      expect(record).toEqual({
        name: "Ada Lovelace",
        email: userName,
        userName,
        externalId: `object-of-${userName}`,
        givenName: "Ada",
        familyName: "Lovelace",
        formattedName: "Ada Lovelace",
        department: "Engines",
      });
      expect(active ?? true).toBe(true);
      expect(scim).toEqual({ extensions: { [CUSTOM_USER]: { tag: "701984" } } });
      const [event] = await directory.events(id);
      expect(event).toMatchObject({ type: "user.created", actor: { type: "key", name: "Entra ID" } });
    });

    test("a taken user name is 409 uniqueness, in any case, and creates nothing", async () => {
      await createUser("taken@create.example");
      const count = await directory.userCount();
      for (const userName of ["taken@create.example", "TAKEN@Create.Example"]) {
        await entra.send("POST /Users", { json: newUser(userName), status: 409, scimType: "uniqueness" });
      }
      expect(await directory.userCount()).toBe(count);
    });

    test("the email of a user of the API is taken as user name", async () => {
      await directory.createUser({ name: "Local", email: "local@create.example" });
      await entra.send("POST /Users", {
        json: newUser("local@create.example"),
        status: 409,
        scimType: "uniqueness",
      });
    });

    test("two accounts share a mailbox, and both are found by it", async () => {
      const emails = [{ primary: true, type: "work", value: "shared@create.example" }];
      const first = await createUser("first@create.example", { emails });
      const second = await createUser("second@create.example", { emails });
      await entra.send(`GET /Users/${second}`, {
        status: 200,
        shows: shownUser("second@create.example", { emails }),
      });
      expect(await directory.user(first)).toMatchObject({ email: "shared@create.example" });
      expect(await directory.user(second)).not.toHaveProperty("email");
      await entra.send('GET /Users?filter=emails[type eq "work"].value eq "shared@create.example"', {
        status: 200,
        finds: [first, second],
      });
    });

    test("a user without a display name takes the name from its parts, and shows none", async () => {
      const { displayName, ...body } = newUser("plain@create.example");
      const { id } = await entra.send("POST /Users", { json: body, status: 201 });
      expect(await directory.user(id)).toMatchObject({ name: "Ada Lovelace" });
      const { displayName: _none, ...shown } = shownUser("plain@create.example");
      await entra.send(`GET /Users/${id}`, { status: 200, shows: shown });
      await entra.send(`PATCH /Users/${id}`, {
        json: patch({ op: "Replace", path: "name.formatted", value: "Ada King" }),
        status: 200,
      });
      expect(await directory.user(id)).toMatchObject({ name: "Ada King" });
    });
  });

  describe("Entra changes users, without the flag aadOptscim062020", () => {
    test("capitals, one operation per attribute and URN paths are one change with one event", async () => {
      const userName = "capitals@patch.example";
      const id = await createUser(userName);
      await entra.send(`PATCH /Users/${id}`, {
        json: patch(
          { op: "Replace", path: "displayName", value: "Ada King" },
          { op: "Replace", path: 'emails[type eq "work"].value', value: "ada.king@patch.example" },
          { op: "Replace", path: "name.givenName", value: "Augusta" },
          { op: "Replace", path: "name.familyName", value: "King" },
          { op: "Replace", path: "externalId", value: "object-7" },
          { op: "Add", path: "nickName", value: "Countess" },
          { op: "Add", path: `${enterprise}:employeeNumber`, value: "1815" },
          { op: "Add", path: `${enterprise}:department`, value: "Engines" },
        ),
        status: 200,
        shows: {
          externalId: "object-7",
          userName,
          active: true,
          displayName: "Ada King",
          nickName: "Countess",
          name: { formatted: "Ada Lovelace", familyName: "King", givenName: "Augusta" },
          emails: [{ primary: true, type: "work", value: "ada.king@patch.example" }],
          [enterprise]: { employeeNumber: "1815", department: "Engines" },
        },
      });
      expect(await directory.user(id)).toMatchObject({
        name: "Ada King",
        email: "ada.king@patch.example",
        userName,
        employeeNumber: "1815",
      });
      expect(await directory.history(id)).toEqual(["created", "updated"]);
    });

    test("the same PATCH again changes nothing: the version stays, and there is no event", async () => {
      const id = await createUser("again@patch.example");
      const step = {
        json: patch(
          { op: "Replace", path: "displayName", value: "Ada King" },
          { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+47 555" },
          { op: "Add", path: `${enterprise}:manager`, value: "12" },
          { op: "Replace", path: "active", value: "True" },
        ),
        status: 200,
      };
      const first = await entra.send(`PATCH /Users/${id}`, step);
      const second = await entra.repeat(`PATCH /Users/${id}`, step, 3);
      expect(second.version).toBe(first.version);
      expect(second.body).toEqual(first.body);
      expect(await directory.history(id)).toEqual(["created", "updated"]);
    });

    test("the user name is changed, and the old one is free", async () => {
      const id = await createUser("maiden@patch.example");
      await entra.send(`PATCH /Users/${id}`, {
        json: patch({ op: "Replace", path: "userName", value: "married@patch.example" }),
        status: 200,
        includes: { userName: "married@patch.example" },
      });
      await entra.send('GET /Users?filter=userName eq "maiden@patch.example"', { status: 200, finds: [] });
      await entra.send("POST /Users", { json: newUser("maiden@patch.example"), status: 201 });
    });

    test("a taken user name is 409, and nothing of the PATCH is applied", async () => {
      await createUser("owner@patch.example");
      const id = await createUser("wants@patch.example");
      await entra.send(`PATCH /Users/${id}`, {
        json: patch(
          { op: "Replace", path: "displayName", value: "Changed" },
          { op: "Replace", path: "userName", value: "Owner@Patch.Example" },
        ),
        status: 409,
        scimType: "uniqueness",
      });
      await entra.send(`GET /Users/${id}`, { status: 200, shows: shownUser("wants@patch.example") });
      expect(await directory.history(id)).toEqual(["created"]);
    });

    test("values are cleared with Remove, with a null and with an empty list", async () => {
      const id = await createUser("clear@patch.example", {
        nickName: "Countess",
        title: "Analyst",
        phoneNumbers: [
          { type: "work", value: "1" },
          { type: "mobile", value: "2" },
        ],
        addresses: [{ type: "work", postalCode: "0150" }],
      });
      await entra.send(`PATCH /Users/${id}`, {
        json: patch(
          { op: "Remove", path: "nickName" },
          { op: "Replace", path: "title", value: null },
          { op: "Replace", path: "addresses", value: [] },
          { op: "Remove", path: 'phoneNumbers[type eq "mobile"]' },
          { op: "Remove", path: 'phoneNumbers[type eq "fax"].value' },
        ),
        status: 200,
        shows: shownUser("clear@patch.example", { phoneNumbers: [{ type: "work", value: "1" }] }),
      });
      const record = await directory.user(id);
      for (const field of ["nickName", "title", "addresses"]) expect(record).not.toHaveProperty(field);
    });
  });

  describe("Entra changes users, with the flag aadOptscim062020", () => {
    test("one operation without a path has dotted keys and keys with a URN", async () => {
      const userName = "flag@patch.example";
      const id = await createUser(userName);
      await entra.send(`PATCH /Users/${id}`, {
        json: patch(
          { op: "replace", path: 'emails[type eq "work"].value', value: "flag.king@patch.example" },
          {
            op: "replace",
            value: {
              displayName: "Ada King",
              "name.givenName": "Augusta",
              "name.familyName": "King",
              [`${enterprise}:employeeNumber`]: "1815",
              [`${enterprise}:department`]: "Engines",
              [MANAGER]: "12",
            },
          },
        ),
        status: 200,
        includes: {
          displayName: "Ada King",
          name: { formatted: "Ada Lovelace", familyName: "King", givenName: "Augusta" },
          emails: [{ primary: true, type: "work", value: "flag.king@patch.example" }],
          [enterprise]: { employeeNumber: "1815", department: "Engines", manager: { value: "12" } },
        },
      });
      expect(await directory.history(id)).toEqual(["created", "updated"]);
    });

    test("active is a boolean", async () => {
      const id = await createUser("boolean@patch.example");
      const setActive = (value: boolean) =>
        entra.send(`PATCH /Users/${id}`, {
          json: patch({ op: "replace", path: "active", value }),
          status: 200,
          includes: { active: value },
        });
      await setActive(false);
      expect(await directory.user(id)).toMatchObject({ active: false });
      await setActive(true);
      await entra.send(`GET /Users/${id}`, { status: 200, shows: shownUser("boolean@patch.example") });
    });
  });

  /** What a filtered path becomes, whether Entra adds or replaces. */
  for (const op of ["Add", "Replace", "add", "replace"]) {
    test(`${op} with a filtered path on a user without entries creates one entry per type`, async () => {
      const userName = `${op}-${op === op.toLowerCase() ? "lower" : "capital"}@entries.example`;
      const id = await createUser(userName);
      const work = (name: string, value: unknown) => ({
        op,
        path: `addresses[type eq "work"].${name}`,
        value,
      });
      const role = (name: string, value: string) => ({ op, path: `roles[primary eq "True"].${name}`, value });
      await entra.send(`PATCH /Users/${id}`, {
        json: patch(
          { op, path: 'phoneNumbers[type eq "mobile"].value', value: "+47 22 11 11 11" },
          { op, path: 'phoneNumbers[type eq "work"].value', value: "+47 22 22 22 22" },
          { op, path: 'phoneNumbers[type eq "work"].primary', value: true },
          work("postalCode", "0150"),
          work("locality", "Oslo"),
          work("country", "NO"),
          work("primary", "True"),
          role("value", "engineer"),
          role("display", "Engineer"),
          role("type", "WindowsAzureActiveDirectoryRole"),
        ),
        status: 200,
        shows: shownUser(userName, {
          phoneNumbers: [
            { type: "mobile", value: "+47 22 11 11 11" },
            { type: "work", value: "+47 22 22 22 22", primary: true },
          ],
          addresses: [{ type: "work", postalCode: "0150", locality: "Oslo", country: "NO", primary: true }],
          roles: [
            {
              primary: true,
              value: "engineer",
              display: "Engineer",
              type: "WindowsAzureActiveDirectoryRole",
            },
          ],
        }),
      });
      await entra.send(`PATCH /Users/${id}`, {
        json: patch(
          { op, path: 'phoneNumbers[type eq "mobile"].value', value: "+47 33" },
          role("value", "manager"),
          work("postalCode", "5003"),
        ),
        status: 200,
        includes: {
          phoneNumbers: [
            { type: "mobile", value: "+47 33" },
            { type: "work", value: "+47 22 22 22 22", primary: true },
          ],
          roles: [{ primary: true, value: "manager", display: "Engineer" }],
          addresses: [{ type: "work", postalCode: "5003", locality: "Oslo" }],
        },
      });
      expect(await directory.history(id)).toEqual(["created", "updated", "updated"]);
    });
  }

  describe("Entra sets managers", () => {
    /** The forms in which Entra has sent a manager, over the years and with the flag. */
    const forms = (manager: string): readonly (readonly [name: string, operation: object])[] => [
      ["as text", { op: "Add", path: MANAGER, value: manager }],
      ["as a list of one reference", { op: "Add", path: MANAGER, value: [{ $ref: null, value: manager }] }],
      ["as an object", { op: "Replace", path: MANAGER, value: { value: manager } }],
      [
        "as an object with a name",
        { op: "Add", path: MANAGER, value: { value: manager, displayName: "Boss" } },
      ],
      ["as a value of its own", { op: "Replace", path: `${MANAGER}.value`, value: manager }],
      ["as a key with a URN", { op: "replace", value: { [MANAGER]: manager } }],
      ["inside the extension", { op: "add", value: { [enterprise]: { manager: { value: manager } } } }],
      ["with the extension as path", { op: "Add", path: enterprise, value: { manager } }],
    ];

    test("in every form, the manager is an object with a value, and is found", async () => {
      const manager = await createUser("boss@manager.example");
      const id = await createUser("report@manager.example");
      for (const [name, operation] of forms(manager)) {
        await entra.send(`PATCH /Users/${id}`, {
          json: patch({ op: "Remove", path: MANAGER }),
          status: 200,
          shows: shownUser("report@manager.example"),
        });
        const { body } = await entra.send(`PATCH /Users/${id}`, { json: patch(operation), status: 200 });
        expect(body[enterprise], name).toMatchObject({ manager: { value: manager } });
        expect(JSON.stringify(body), name).not.toContain("Boss");
        await entra.send(`GET /Users?filter=id eq "${id}" and manager eq "${manager}"&attributes=id`, {
          status: 200,
          finds: [id],
        });
      }
      expect(await directory.user(id)).toMatchObject({ manager: { value: manager } });
    });

    test("a manager is removed by Remove, an empty text, an empty list and null", async () => {
      const id = await createUser("free@manager.example");
      const removals = [
        { op: "Remove", path: MANAGER },
        { op: "Replace", path: MANAGER, value: "" },
        { op: "Replace", path: MANAGER, value: [] },
        { op: "Replace", path: MANAGER, value: null },
        { op: "Remove", path: `${MANAGER}.value` },
        { op: "replace", value: { [MANAGER]: null } },
      ];
      for (const removal of removals) {
        await entra.send(`PATCH /Users/${id}`, {
          json: patch({ op: "Add", path: MANAGER, value: "12" }),
          status: 200,
          includes: {
            [enterprise]: { manager: { value: "12", $ref: expect.stringMatching(/\/Users\/12$/) } },
          },
        });
        await entra.send(`PATCH /Users/${id}`, {
          json: patch(removal),
          status: 200,
          shows: shownUser("free@manager.example"),
        });
        expect(await directory.user(id)).not.toHaveProperty("manager");
      }
    });

    test("a manager need not exist", async () => {
      const manager = { value: "987654321" };
      const id = await createUser("early@manager.example", { [enterprise]: { manager } });
      await entra.send(`GET /Users/${id}`, { status: 200, includes: { [enterprise]: { manager } } });
    });
  });

  describe("Entra deprovisions users", () => {
    test("a user that is disabled, enabled, deleted and created again has two ids", async () => {
      const userName = "leaver@life.example";
      const id = await createUser(userName);
      await entra.send(`PATCH /Users/${id}`, {
        json: patch({ op: "Replace", path: "active", value: "False" }),
        status: 200,
        shows: shownUser(userName, { active: false }),
      });
      await entra.send(`GET /Users?filter=userName eq "${userName}"`, { status: 200, finds: [id] });
      await entra.send(`GET /Users?filter=userName eq "${userName}" and active eq true`, {
        status: 200,
        finds: [],
      });
      await entra.send(`PATCH /Users/${id}`, {
        json: patch({ op: "Add", path: "active", value: "True" }),
        status: 200,
        shows: shownUser(userName),
      });
      await entra.send(`DELETE /Users/${id}`, { status: 204 });
      await entra.send(`GET /Users/${id}`, { status: 404, scimType: null });
      await entra.send(`GET /Users?filter=userName eq "${userName}"`, { status: 200, finds: [] });
      await entra.send(`DELETE /Users/${id}`, { status: 404, scimType: null });
      await entra.send(`PATCH /Users/${id}`, {
        json: patch({ op: "Replace", path: "active", value: "False" }),
        status: 404,
        scimType: null,
      });
      const second = await createUser(userName);
      expect(second).not.toBe(id);
      expect(await directory.userStatus(id)).toBe(404);
      expect(await directory.history(id)).toEqual(["created", "updated", "updated", "deleted"]);
      expect(await directory.history(second)).toEqual(["created"]);
    });

    test("a user of the same person comes beside a disabled one: external ids need not be unique", async () => {
      const first = await createUser("old@life.example", { externalId: "one-person" });
      await entra.send(`PATCH /Users/${first}`, {
        json: patch({ op: "Replace", path: "active", value: "False" }),
        status: 200,
      });
      const second = await createUser("new@life.example", { externalId: "one-person" });
      await entra.send('GET /Users?filter=externalId eq "one-person"', {
        status: 200,
        finds: [first, second],
      });
    });
  });

  describe("Entra provisions groups", () => {
    test("a group is created, found without its members, renamed and deleted", async () => {
      const { id } = await entra.send("POST /Groups", {
        json: newGroup("Engineers"),
        status: 201,
        shows: { externalId: "object-of-Engineers", displayName: "Engineers", members: [] },
      });
      expect(await directory.group(id)).toEqual({ name: "Engineers", externalId: "object-of-Engineers" });
      await findGroup("Engineers", [id]);
      await findGroup("ENGINEERS", [id]);
      await entra.send(`GET /Groups/${id}?excludedAttributes=members`, {
        status: 200,
        shows: { externalId: "object-of-Engineers", displayName: "Engineers" },
      });
      await entra.send(`PATCH /Groups/${id}`, {
        json: patch({ op: "Replace", path: "displayName", value: "Builders" }),
        status: 204,
      });
      await findGroup("Engineers", []);
      await findGroup("Builders", [id]);
      expect(await directory.history(id)).toEqual(["created", "updated"]);
      await entra.send(`DELETE /Groups/${id}`, { status: 204 });
      await entra.send(`GET /Groups/${id}`, { status: 404, scimType: null });
      await entra.send(`DELETE /Groups/${id}`, { status: 404, scimType: null });
      await findGroup("Builders", []);
      await entra.send("POST /Groups", { json: newGroup("Builders"), status: 201 });
    });

    test("a taken name is 409 uniqueness, for a new group and for a renamed one", async () => {
      await createGroup("Taken");
      const id = await createGroup("Wants");
      await entra.send("POST /Groups", { json: newGroup("TAKEN"), status: 409, scimType: "uniqueness" });
      await entra.send(`PATCH /Groups/${id}`, {
        json: patch(
          { op: "Replace", path: "externalId", value: "changed" },
          { op: "Replace", path: "displayName", value: "taken" },
        ),
        status: 409,
        scimType: "uniqueness",
      });
      expect(await directory.group(id)).toEqual({ name: "Wants", externalId: "object-of-Wants" });
    });

    test("members come and go in every form that Entra sends", async () => {
      const group = await createGroup("Forms");
      const users = await Promise.all(
        ["1", "2", "3", "4"].map((name) => createUser(`${name}@forms.example`)),
      );
      const [one = "", two = "", three = "", four = ""] = users;
      const change = async (operation: object, ...members: readonly string[]) => {
        await entra.send(`PATCH /Groups/${group}`, { json: patch(operation), status: 204 });
        expect((await directory.members(group)).sort(), JSON.stringify(operation)).toEqual(
          [...members].sort(),
        );
      };
      await change({ op: "Add", path: "members", value: [{ $ref: null, value: one }] }, one);
      await change(
        { op: "Add", path: "members", value: [{ value: two }, { value: three }] },
        one,
        two,
        three,
      );
      await change({ op: "Remove", path: "members", value: [{ $ref: null, value: two }] }, one, three);
      await change({ op: "remove", path: `members[value eq "${three}"]` }, one);
      await change({ op: "add", value: { members: [{ value: two }] } }, one, two);
      await change({ op: "Add", value: { members: [{ $ref: null, value: three }] } }, one, two, three);
      await change({ op: "Remove", path: "members", value: [{ value: one }, { value: two }] }, three);
      await change({ op: "Add", path: "members", value: { value: four } }, three, four);
      await change({ op: "Remove", path: "members", value: [{ value: one }] }, three, four);
      await change({ op: "replace", path: "members", value: [{ value: one }] }, one);
      await change({ op: "replace", value: { members: [{ value: two }, { value: three }] } }, two, three);
      await change({ op: "Remove", path: "members" });
      await entra.send(`GET /Groups/${group}`, { status: 200, includes: { members: [] } });
    });

    test("several operations on members are one change with one event", async () => {
      const group = await createGroup("Atomic");
      const [one, two] = [await createUser("one@atomic.example"), await createUser("two@atomic.example")];
      await entra.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "Add", path: "members", value: [{ value: one }] }),
        status: 204,
      });
      await entra.send(`PATCH /Groups/${group}`, {
        json: patch(
          { op: "Remove", path: "members", value: [{ value: one }] },
          { op: "Add", path: "members", value: [{ value: two }] },
        ),
        status: 204,
      });
      const events = await directory.events(group);
      expect(events.map(({ type }) => type)).toEqual([
        "group.created",
        "group.members_changed",
        "group.members_changed",
      ]);
      expect(events.at(-1)).toMatchObject({
        version: 3,
        changes: { members: { added: [Number(two)], removed: [Number(one)] } },
        actor: { type: "key", name: "Entra ID" },
      });
    });

    test("a repeated change of members is 204 without a new version", async () => {
      const group = await createGroup("Repeated");
      const user = await createUser("repeated@members.example");
      const add = patch({ op: "Add", path: "members", value: [{ value: user }] });
      const remove = patch({ op: "Remove", path: "members", value: [{ value: user }] });
      await entra.repeat(`PATCH /Groups/${group}`, { json: add, status: 204 }, 3);
      await entra.repeat(`PATCH /Groups/${group}`, { json: remove, status: 204 }, 3);
      expect(await directory.history(group)).toEqual(["created", "members_changed", "members_changed"]);
    });

    test("a member that never existed is 400, and nothing of the PATCH is applied", async () => {
      const group = await createGroup("Strict");
      const user = await createUser("known@members.example");
      await entra.send(`PATCH /Groups/${group}`, {
        json: patch(
          { op: "Replace", path: "displayName", value: "Changed" },
          { op: "Add", path: "members", value: [{ value: user }, { value: "987654321" }] },
        ),
        status: 400,
        scimType: "invalidValue",
      });
      expect(await directory.members(group)).toEqual([]);
      expect(await directory.group(group)).toMatchObject({ name: "Strict" });
      expect(await directory.history(group)).toEqual(["created"]);
    });

    test("a member that has been deleted is skipped, and the others are added", async () => {
      const group = await createGroup("Lenient");
      const [gone, here] = [
        await createUser("gone@members.example"),
        await createUser("here@members.example"),
      ];
      await entra.send(`DELETE /Users/${gone}`, { status: 204 });
      await entra.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "Add", path: "members", value: [{ value: gone }, { value: here }] }),
        status: 204,
      });
      expect(await directory.members(group)).toEqual([here]);
      await entra.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "Remove", path: "members", value: [{ value: gone }] }),
        status: 204,
      });
    });

    test("a deleted user leaves its groups", async () => {
      const group = await createGroup("Leavers");
      const user = await createUser("leaver@members.example");
      await entra.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "Add", path: "members", value: [{ value: user }] }),
        status: 204,
      });
      await entra.send(`DELETE /Users/${user}`, { status: 204 });
      await entra.send(`GET /Groups/${group}`, { status: 200, includes: { members: [] } });
    });

    test("Entra asks whether a group has a member by a filter for both ids", async () => {
      const group = await createGroup("Asked");
      const [member, other] = [await createUser("in@asked.example"), await createUser("out@asked.example")];
      await entra.send(`PATCH /Groups/${group}`, {
        json: patch({ op: "Add", path: "members", value: [{ value: member }] }),
        status: 204,
      });
      const ask = (user: string, finds: readonly string[]) =>
        entra.send(`GET /Groups?filter=id eq "${group}" and members eq "${user}"&attributes=id`, {
          status: 200,
          finds,
        });
      await ask(member, [group]);
      await ask(other, []);
    });

    test("a group is returned by PATCH if attributes are asked for", async () => {
      const group = await createGroup("Shown");
      await entra.send(`PATCH /Groups/${group}?attributes=displayName`, {
        json: patch({ op: "Replace", path: "displayName", value: "Shown now" }),
        status: 200,
        shows: { displayName: "Shown now" },
      });
    });
  });

  describe("Entra sends many requests at the same time", () => {
    test("members that come and go in one group are all applied, each in its own version", async () => {
      const group = await createGroup("Crowded");
      const users: string[] = [];
      for (let i = 0; i < 24; i++) users.push(await createUser(`${i}@crowded.example`));
      const [leaving, coming] = [users.slice(0, 8), users.slice(8)];
      const members = (op: string, ids: readonly string[]) =>
        entra.send(`PATCH /Groups/${group}`, {
          json: patch({ op, path: "members", value: ids.map((value) => ({ value })) }),
          status: 204,
        });
      await members("Add", leaving);
      await Promise.all([
        ...leaving.map((id) => members("Remove", [id])),
        ...coming.map((id) => members("Add", [id])),
        entra.send(`PATCH /Groups/${group}`, {
          json: patch({ op: "Replace", path: "displayName", value: "Crowded 2" }),
          status: 204,
        }),
      ]);
      expect((await directory.members(group)).sort()).toEqual([...coming].sort());
      expect(await directory.group(group)).toMatchObject({ name: "Crowded 2" });
      const versions = (await directory.events(group)).map(({ version }) => version);
      expect(versions).toEqual(versions.map((_, index) => index + 1));
    });

    test("changes of different attributes of one user are all applied", async () => {
      const id = await createUser("busy@crowded.example");
      const change = (path: string, value: string) =>
        entra.send(`PATCH /Users/${id}`, { json: patch({ op: "Replace", path, value }), status: 200 });
      await Promise.all([
        change("title", "Analyst"),
        change("nickName", "Countess"),
        change("name.givenName", "Augusta"),
        change('phoneNumbers[type eq "mobile"].value', "1"),
        change('phoneNumbers[type eq "work"].value', "2"),
        change(`${enterprise}:department`, "Engines"),
        change(MANAGER, "12"),
        directory.changeUser(id, { desk: 12 }),
      ]);
      expect(await directory.user(id)).toMatchObject({
        title: "Analyst",
        nickName: "Countess",
        givenName: "Augusta",
        department: "Engines",
        manager: { value: "12" },
        desk: 12,
      });
      const { body } = await entra.send(`GET /Users/${id}`, { status: 200 });
      expect(body.phoneNumbers).toHaveLength(2);
      expect(await directory.history(id)).toEqual(["created", ...Array.from({ length: 8 }, () => "updated")]);
    });

    test("of several creates of one user, one succeeds, and the others are 409", async () => {
      const json = newUser("raced@crowded.example");
      const attempts = Array.from({ length: 4 }, () =>
        entra.send("POST /Users", { json, status: [201, 409] }),
      );
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([201, 409, 409, 409]);
      const { totalResults } = await entra.send('GET /Users?filter=userName eq "raced@crowded.example"', {
        status: 200,
      });
      expect(totalResults).toBe(1);
    });
  });
});
