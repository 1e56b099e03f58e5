import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Engine, onAnyEngine, onEachEngine } from "../support/engines.ts";
import { describeResponse, readResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";

/** A service for the tests of an engine, and what they send to it. */
function openCalls(engine: Engine) {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());
  const send = (method: string, path: string, json: unknown) => service.call(path, { method, json });
  const importCsv = (csv: string, query = "") =>
    service.call(`/api/users/import${query}`, {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: csv,
    });
  return {
    send,
    importCsv,
    roster: () => service.roster,
    /** The user that a body creates. */
    create: async (body: object) => (await send("POST", "/api/users", body)).json(),
    /** What the body of a list of users has at a field. */
    listed: async (query: string, field = "name") => {
      const users: Record<string, unknown>[] = await (await service.call(`/api/users?${query}`)).json();
      return users.map((user) => user[field]);
    },
    /** Each field error of a response, after its status. */
    errorsOf: async (response: Promise<Response>) => {
      const { status, problem } = await readResponse(response);
      return [status, ...(problem?.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`)];
    },
    readCsv: async (query: string) => (await service.call(`/api/users/export?format=csv&${query}`)).text(),
  };
}

const long = "ü".repeat(257);

onAnyEngine((engine) => {
  const { send, importCsv, create, errorsOf } = openCalls(engine);

  const invalid: readonly [what: string, fields: object, error: string][] = [
    [
      "a number as user name",
      { userName: 7 },
      "/userName: The user name must be a string, or null for none.",
    ],
    [
      "a user name that is true",
      { userName: true },
      "/userName: The user name must be a string, or null for none.",
    ],
    [
      "an object as user name",
      { userName: {} },
      "/userName: The user name must be a string, or null for none.",
    ],
    [
      "a list of user names",
      { userName: ["a"] },
      "/userName: The user name must be a string, or null for none.",
    ],
    [
      "an empty user name",
      { userName: "" },
      "/userName: The user name must have at least one character. Send null for none.",
    ],
    [
      "a user name of 257 characters",
      { userName: long },
      "/userName: The user name must not be longer than 256 characters.",
    ],
    [
      "a user name with a line break",
      { userName: "a\nb" },
      "/userName: The user name must not contain control characters.",
    ],
    [
      "a user name with a DEL",
      { userName: "a\u007f" },
      "/userName: The user name must not contain control characters.",
    ],
    ["a text as scim", { scim: "x" }, "/scim: Enter an object, or null for none."],
    ["a list as scim", { scim: [] }, "/scim: Enter an object, or null for none."],
    ["true as scim", { scim: true }, "/scim: Enter an object, or null for none."],
    ["a text as active", { active: "yes" }, "/active: Enter true or false, or null for true."],
    [
      "groups",
      { groups: [] },
      "/groups: A user has no field groups. Choose another name, such as groupNames.",
    ],
    [
      "groups that are null",
      { groups: null },
      "/groups: A user has no field groups. Choose another name, such as groupNames.",
    ],
    ["a name of 257 characters", { name: long }, "/name: The name must not be longer than 256 characters."],
  ];

  describe.each(invalid)("a user with %s", (_, fields, error) => {
    test("is not created", async () => {
      expect(await errorsOf(send("POST", "/api/users", { name: "Ada", ...fields }))).toEqual([422, error]);
    });

    test("does not replace or change a user", async () => {
      const { id } = await create({ name: "Ada" });
      const path = `/api/users/${id}`;
      expect(await errorsOf(send("PUT", path, { name: "Ada", ...fields }))).toEqual([422, error]);
      expect(await errorsOf(send("PATCH", path, fields))).toEqual([422, error]);
    });
  });

  test.each<[what: string, body: unknown, error: string]>([
    [
      "another field",
      { name: "Ada" },
      "/name: A restore changes only the email and the userName. Remove this field.",
    ],
    [
      "groups",
      { groups: [] },
      "/groups: A restore changes only the email and the userName. Remove this field.",
    ],
    [
      "a number as user name",
      { userName: 7 },
      "/userName: The user name must be a string, or null for none.",
    ],
    ["a list", [], ": Send an object with an email or a userName, or no body."],
  ])("the body of a restore cannot have %s", async (_, body, error) => {
    expect(await errorsOf(send("POST", "/api/deleted-users/1/restore", body))).toEqual([422, error]);
  });

  test("the header row of a CSV cannot have groups", async () => {
    expect(await errorsOf(importCsv("name,groups\nAda,staff\n"))).toEqual([
      422,
      "/groups: A user has no field groups. Rename the column, for example to groupNames.",
    ]);
  });

  test("a filter by groups is refused, since no user has this field", async () => {
    const { status, problem } = await readResponse(send("GET", "/api/users?groups=staff", undefined));
    expect([status, problem?.errors?.[0]?.parameter]).toEqual([400, "groups"]);
  });

  test("a name and a user name can have 256 characters, also outside of the first plane", async () => {
    const text = "😀".repeat(256);
    expect(await create({ name: text, userName: text })).toMatchObject({ name: text, userName: text });
  });

  test("null is the same as absent, and a merge patch with null removes", async () => {
    const fields = { userName: null, active: null, scim: null };
    const created = await create({ name: "Null", ...fields });
    const without = { name: "Null", id: created.id };
    const { version, createdAt, updatedAt, ...record } = created;
    expect(record).toEqual(without);
    const path = `/api/users/${created.id}`;
    const full = { name: "Null", userName: "null", active: true, scim: { a: 1 } };
    const replaced = await (await send("PUT", path, full)).json();
    expect(replaced).toMatchObject(full);
    const patched = await (await send("PATCH", path, fields)).json();
    for (const field of ["userName", "active", "scim"]) expect(patched).not.toHaveProperty(field);
    await send("PUT", path, full);
    const emptied = await (await send("PUT", path, { name: "Null", ...fields })).json();
    for (const field of ["userName", "active", "scim"]) expect(emptied).not.toHaveProperty(field);
  });

  test("a user name is stored as sent, with its spaces", async () => {
    expect(await create({ name: "Spaces", userName: " Ada  King " })).toMatchObject({
      userName: " Ada  King ",
    });
  });

  test("a schema without other fields allows userName and scim, and says nothing about them", async () => {
    const stored = await send("PUT", "/api/schema", { additionalProperties: false });
    expect(stored.status).toBe(200);
    const ok = await send("POST", "/api/users", { name: "Strict", userName: "strict", scim: { a: 1 } });
    expect(await describeResponse(ok)).toBe("201");
    expect(await errorsOf(send("PUT", "/api/schema", { properties: { userName: {}, groups: {} } }))).toEqual([
      422,
      "/properties/userName: The service itself defines userName. A schema describes custom fields only.",
      "/properties/groups: No custom field can have this name.",
    ]);
    await send("PUT", "/api/schema", {});
  });
});

onEachEngine((engine) => {
  const { send, importCsv, create, listed, readCsv, errorsOf, roster } = openCalls(engine);
  beforeAll(async () => {
    // Like emails: ß is not ss, and ı is not i. Case does not matter.
    const names = ["Straße", "STRASSE", "ı", "I", "Ada", "bob"];
    for (const userName of names) await create({ name: `user ${userName}`, userName, folds: true });
    await create({ name: "without", email: "ada@example.com", folds: true, scim: { externalId: "x-1" } });
  });

  test.each<[query: string, found: string[]]>([
    ["userName=ADA", ["Ada"]],
    ["userName=STRAßE", ["Straße"]],
    ["userName=strasse", ["STRASSE"]],
    ["userName=i", ["I"]],
    ["userName=ada&userName=BOB", ["Ada", "bob"]],
    ["userName=ada%40example.com", []],
    ['filter=userName eq "straße"', ["Straße"]],
    ['filter=userName sw "STRA"', ["Straße", "STRASSE"]],
    ['filter=userName co "SS"', ["STRASSE"]],
    ['filter=userName ew "SE" and folds eq true', ["STRASSE"]],
    ['filter=userName gt "i" and not (userName sw "s")', ["ı"]],
    ["filter=userName pr&sort=userName", ["Ada", "bob", "I", "STRASSE", "Straße", "ı"]],
    ["filter=userName pr&sort=-userName&limit=2", ["ı", "Straße"]],
  ])("a list compares user names like emails: ?%s", async (query, found) => {
    expect(await listed(encodeURI(query).replaceAll("%2540", "%40"), "userName")).toEqual(found);
  });

  test("the values of userName are listed and counted, as they are spelled", async () => {
    expect(await roster().fields.values("userName", { prefix: "STRA" })).toEqual(["STRASSE", "Straße"]);
    expect(await roster().fields.countValues("userName", { prefix: "bo" })).toEqual([
      { value: "bob", count: 1, capped: false },
    ]);
  });

  test("scim is filtered like a custom field that is an object", async () => {
    expect(await listed(encodeURI('filter=scim.externalId eq "X-1"'))).toEqual(["without"]);
    expect(await listed("filter=scim pr")).toEqual(["without"]);
    expect(await listed("scim=x-1")).toEqual([]);
  });

  test("an export has userName, active and scim after the email, and the import has the same users", async () => {
    const users = [
      { userName: "=1+1", level: 3, active: false, scim: { externalId: "1" } },
      { userName: "007", level: 4 },
      { userName: "true" },
      { userName: '{"a":1}' },
    ];
    for (const user of users) await create({ name: "csv", ...user });
    const csv = await readCsv("name=csv");
    const [header, first, second] = csv.split("\r\n");
    expect(header).toBe("id,name,email,userName,active,scim,level,version,createdAt,updatedAt");
    expect(first).toMatch(/^\d+,csv,,'=1\+1,false,"\{""externalId"":""1""\}",3,1,/);
    expect(second).toMatch(/^\d+,csv,,007,,,4,1,/);
    const imported = await importCsv(csv.replaceAll("csv", "again"), "?match=userName&onConflict=update");
    expect(imported.status).toBe(200);
    const again = await roster()
      .users.list({ where: { name: "again" } })
      .all();
    expect(again).toMatchObject(users.map((user) => ({ name: "again", ...user })));
    expect(await listed("name=csv")).toEqual([]);
  });

  test("a header userName is exact: other spellings are custom fields", async () => {
    await importCsv("name,username,USERNAME\nspelled,007,x\n");
    const [user] = await roster()
      .users.list({ where: { name: "spelled" } })
      .all();
    expect(user).toMatchObject({ username: "007", USERNAME: "x" });
    expect(user).not.toHaveProperty("userName");
  });

  test("an import finds the user of a row by its userName, else by its email", async () => {
    await create({ name: "by userName", userName: "Match.One", email: "one@match.org" });
    await create({ name: "by email", email: "two@match.org" });
    const rows = "name,userName,email,n\nfirst,match.one,,1\nsecond,,TWO@match.org,2\nthird,match.three,,3\n";
    const lines = await (await importCsv(rows, "?match=userName&onConflict=update")).text();
    const statuses = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).status);
    expect(statuses).toEqual([200, 200, 201]);
    expect(await listed("n=1&n=2&n=3")).toEqual(["first", "second", "third"]);
    const byEmail = await importCsv("email,n\ntwo@match.org,4\n", "?match=userName&onConflict=update");
    expect(JSON.parse(await byEmail.text())).toMatchObject({ status: 200 });
  });

  test.each<[what: string, body: object, expected: (string | number)[]]>([
    ["a userName", { userName: "TAKEN" }, [409, "/userName: Another user has this user name."]],
    ["an email", { userName: "taken@names.org" }, [409, "/userName: Another user has this user name."]],
    ["a userName, as email", { email: "as@names.org" }, [409, "/email: Another user has this user name."]],
  ])("a user cannot have the user name of another user: %s", async (_, body, expected) => {
    const others = [
      { name: "other", userName: "Taken" },
      { name: "other", email: "taken@names.org" },
      { name: "other", userName: "as@names.org" },
    ];
    for (const other of others) await send("POST", "/api/users", other);
    const response = await send("POST", "/api/users", { name: "Second", ...body });
    expect(await describeResponse(response.clone())).toBe("409 value-taken");
    expect(await errorsOf(Promise.resolve(response))).toEqual(expected);
  });

  test("a restore gives the user another user name, or none", async () => {
    const first = await create({ name: "Restored", userName: "restored" });
    await roster().users.delete(first.id);
    const second = await create({ name: "Second", userName: "RESTORED" });
    const restore = (body?: object) => send("POST", `/api/deleted-users/${first.id}/restore`, body ?? {});
    expect(await errorsOf(restore())).toMatchObject([409, expect.stringMatching(/^\/userName: /)]);
    expect(await (await restore({ userName: "restored.2" })).json()).toMatchObject({
      userName: "restored.2",
    });
    await roster().users.delete(first.id);
    expect(await roster().deletedUsers.restore(first.id, { userName: null })).not.toHaveProperty("userName");
    expect(await roster().users.find({ userName: "Restored" })).toMatchObject({ id: second.id });
  });
});
