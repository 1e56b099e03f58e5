import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/contract/json.ts";
import { urns } from "../../src/scim/attributes.ts";
import { userDocument, userRecord } from "../../src/scim/user-document.ts";
import { errorOf } from "./support/error-of.ts";
import { locate, stored } from "./support/stored.ts";

const { enterpriseUser, rosterUser } = urns;
const other = "urn:example:params:2.0:User";

/** The attributes of a user, without those that every user has. */
function show(record: JsonObject): JsonObject {
  const { schemas: _, id: __, meta: ___, ...attributes } = userDocument(stored(record), locate);
  return attributes;
}

const ada = { name: "Ada", email: "ada@example.com" };
const shownAda = {
  userName: "ada@example.com",
  displayName: "Ada",
  active: true,
  emails: [{ value: "ada@example.com", type: "work", primary: true }],
};

test("a document has the schemas that it uses, its id and its meta", () => {
  const record = { ...ada, level: 5, department: "D", scim: { extensions: { [other]: { a: 1 } } } };
  expect(userDocument(stored(record), locate)).toMatchObject({
    schemas: [urns.user, enterpriseUser, rosterUser, other],
    id: "42",
    meta: {
      resourceType: "User",
      created: "2026-11-15T09:30:00.000Z",
      lastModified: "2026-11-16T08:00:00.000Z",
      location: "https://roster.example/scim/v2/Users/42",
      version: 'W/"7"',
    },
  });
  expect(userDocument(stored(ada), locate).schemas).toEqual([urns.user]);
});

describe("a user is shown with", () => {
  test.each<[what: string, record: JsonObject, shown: JsonObject]>([
    ["its email as user name", ada, shownAda],
    ["its user name", { ...ada, userName: "ada" }, { ...shownAda, userName: "ada" }],
    [
      "a stand-in for a user name",
      { name: "Ada" },
      { userName: "roster-42", displayName: "Ada", active: true },
    ],
    ["active as stored", { ...ada, active: false }, { ...shownAda, active: false }],
    [
      "the parts of its name",
      { ...ada, givenName: "Ada", formattedName: "Ada King", honorificSuffix: "III" },
      { ...shownAda, name: { givenName: "Ada", formatted: "Ada King", honorificSuffix: "III" } },
    ],
    [
      "attributes of the same names",
      { ...ada, title: "T", externalId: "x", roles: [{ value: "a" }], timezone: "Europe/Oslo" },
      { ...shownAda, title: "T", externalId: "x", roles: [{ value: "a" }], timezone: "Europe/Oslo" },
    ],
    [
      "attributes of the enterprise extension",
      { ...ada, department: "D", manager: { value: "7", $ref: "/7" } },
      { ...shownAda, [enterpriseUser]: { department: "D", manager: { value: "7", $ref: "/7" } } },
    ],
    [
      "the URL of a manager who may be a user",
      { ...ada, manager: { value: "7" } },
      { ...shownAda, [enterpriseUser]: { manager: { value: "7", $ref: locate("/Users/7") } } },
    ],
    [
      "no URL of a manager whose value is no id",
      { ...ada, manager: { value: "07" } },
      { ...shownAda, [enterpriseUser]: { manager: { value: "07" } } },
    ],
    [
      "custom fields",
      { ...ada, level: 5, address: { city: "Oslo" }, displayName: "x" },
      { ...shownAda, [rosterUser]: { level: 5, address: { city: "Oslo" }, displayName: "x" } },
    ],
    [
      "values that do not fit their attributes among the custom fields",
      { ...ada, title: 5, manager: "Ada", roles: ["a"], givenName: { a: 1 }, department: true },
      {
        ...shownAda,
        [rosterUser]: { title: 5, manager: "Ada", roles: ["a"], givenName: { a: 1 }, department: true },
      },
    ],
    [
      "lists that do not fit among the custom fields",
      {
        ...ada,
        roles: [{ value: 5 }],
        photos: [{ Value: "x" }],
        ims: [
          { value: "a", primary: true },
          { value: "b", primary: true },
        ],
      },
      {
        ...shownAda,
        [rosterUser]: {
          roles: [{ value: 5 }],
          photos: [{ Value: "x" }],
          ims: [
            { value: "a", primary: true },
            { value: "b", primary: true },
          ],
        },
      },
    ],
    ["nothing that is unassigned", { ...ada, title: null, level: null, roles: [], a: { b: {} } }, shownAda],
    [
      "no credentials",
      { ...ada, login: { token: "t", at: 1 }, roles: [{ value: "a", secret: "s" }] },
      { ...shownAda, roles: [{ value: "a" }], [rosterUser]: { login: { at: 1 } } },
    ],
    [
      "other extensions",
      { ...ada, scim: { extensions: { [other]: { a: 1 } } } },
      { ...shownAda, [other]: { a: 1 } },
    ],
    [
      "no extensions that are none",
      { ...ada, scim: { extensions: { [rosterUser]: { a: 1 }, title: { a: 1 }, "urn:x": 5, "urn:y": {} } } },
      shownAda,
    ],
    ["nothing else of scim", { ...ada, scim: { note: "x", extensions: [1] } }, shownAda],
  ])("%s", (_, record, shown) => {
    expect(show(record)).toEqual(shown);
  });
});

describe("emails are shown", () => {
  const email = "ada@example.com";
  const home = { value: "ada@home.example", type: "home" };
  test.each<[what: string, record: JsonObject, emails: unknown]>([
    ["as the main work address", { email }, [{ value: email, type: "work", primary: true }]],
    ["not, without any", {}, undefined],
    [
      "with the email in the entry that has no value",
      { email, emails: [home, { type: "x" }] },
      [home, { value: email, type: "x" }],
    ],
    ["with the email in an entry that has nothing", { email, emails: [{}] }, [{ value: email }]],
    ["without the entry of an email that is gone", { emails: [{ type: "work" }, home] }, [home]],
    ["not, if only the entry of the email is left", { emails: [{ type: "work" }] }, undefined],
    ["as stored, without an email", { emails: [home] }, [home]],
    [
      "with an entry for an email that no entry has",
      { email, emails: [home] },
      [{ value: email, type: "work", primary: true }, home],
    ],
    [
      "with an entry beside another primary one",
      { email, emails: [{ ...home, primary: true }] },
      [
        { value: email, type: "work" },
        { ...home, primary: true },
      ],
    ],
    [
      "once, if an entry has the email, in any case",
      { email, emails: [{ value: "ADA@example.com" }] },
      [{ value: "ADA@example.com" }],
    ],
    [
      "as the email alone, if the list is empty",
      { email, emails: [] },
      [{ value: email, type: "work", primary: true }],
    ],
  ])("%s", (_, record, emails) => {
    expect(show({ name: "Ada", ...record }).emails).toEqual(emails as never);
    expect(show({ name: "Ada", ...record })).not.toHaveProperty([rosterUser]);
  });

  test.each<[what: string, emails: unknown]>([
    ["a text", "ada@home.example"],
    ["texts", ["ada@home.example"]],
    ["entries of another form", [{ address: "ada@home.example" }]],
    ["two entries without a value", [{ type: "work" }, { type: "home" }]],
    ["an empty value", [{ value: "" }]],
    [
      "two primary entries",
      [
        { value: "a", primary: true },
        { value: "b", primary: true },
      ],
    ],
  ])("as the email alone, and %s among the custom fields", (_, emails) => {
    const shown = show({ name: "Ada", email, emails: emails as never });
    expect(shown.emails).toEqual([{ value: email, type: "work", primary: true }]);
    expect(shown[rosterUser]).toEqual({ emails: emails as never });
  });
});

describe("a document without displayName", () => {
  const names: readonly (readonly [what: string, attributes: JsonObject, name: string])[] = [
    ["the formatted name", { name: { formatted: "Ada King", givenName: "Ada" } }, "Ada King"],
    ["given and family name", { name: { givenName: "Ada", familyName: "King" } }, "Ada King"],
    ["the given name alone", { name: { givenName: "Ada" } }, "Ada"],
    ["the family name alone", { name: { familyName: "King" } }, "King"],
    ["the user name", {}, "ada"],
    ["the user name, if the others are blank", { name: { formatted: " ", givenName: "" } }, "ada"],
    ["a name of one line", { name: { formatted: " Ada\n\tKing " } }, "Ada King"],
    ["the first 256 characters", { name: { formatted: "😀".repeat(300) } }, "😀".repeat(256)],
    ["the user name, also with a blank displayName", { displayName: " " }, "ada"],
  ];

  test.each(names)("becomes a user called by %s", (_, attributes, name) => {
    const { record } = userRecord({ userName: "ada", ...attributes }, undefined);
    expect(record).toMatchObject({ name, scim: { displayName: null } });
    expect(show(record)).not.toHaveProperty("displayName");
  });

  test("shows displayName when someone gives the user another name", () => {
    const { record } = userRecord({ userName: "ada", name: { formatted: "Ada King" } }, undefined);
    expect(show({ ...record, name: "Countess" }).displayName).toBe("Countess");
  });

  test("has a name that follows changes", () => {
    const { record } = userRecord({ userName: "ada", name: { givenName: "Ada" } }, undefined);
    const document = userDocument(stored(record), locate);
    const next = userRecord({ ...document, name: { givenName: "Grace" } }, stored(record));
    expect(next.record).toMatchObject({ name: "Grace", scim: { displayName: null } });
  });
});

test("a displayName that is set again is the name, which follows nothing", () => {
  const { record } = userRecord({ userName: "ada", name: { givenName: "Ada" } }, undefined);
  const document = userDocument(stored(record), locate);
  const named = userRecord({ ...document, displayName: "Ada" }, stored(record)).record;
  expect(named).not.toHaveProperty("scim");
  expect(show(named).displayName).toBe("Ada");
});

test("a displayName that is removed leaves a name that follows the others", () => {
  const before = stored({ name: "Countess", userName: "ada", givenName: "Ada" });
  const { displayName: _, ...document } = userDocument(before, locate);
  expect(userRecord(document, before).record).toMatchObject({ name: "Ada", scim: { displayName: null } });
});

describe("a new user has", () => {
  const email = "ada@example.com";
  const work = { value: email, type: "work", primary: true };
  const home = { value: "ada@home.example", type: "home" };
  test.each<[what: string, document: JsonObject, record: JsonObject]>([
    [
      "the primary email",
      { emails: [home, work] },
      { email, emails: [home, { type: "work", primary: true }] },
    ],
    [
      "the first work email without a primary one",
      { emails: [home, { value: email, type: "Work" }, { value: "b@x.example", type: "work" }] },
      { email, emails: [home, { type: "Work" }, { value: "b@x.example", type: "work" }] },
    ],
    [
      "the first email otherwise",
      { emails: [home, { value: email }] },
      { email: home.value, emails: [{ type: "home" }, { value: email }] },
    ],
    ["only the email, if SCIM shows it as it was sent", { emails: [work] }, { email }],
    ["an entry that has only a value", { emails: [{ value: email }] }, { email, emails: [{}] }],
    [
      "an entry with a label",
      { emails: [{ ...work, display: "A" }] },
      { email, emails: [{ type: "work", primary: true, display: "A" }] },
    ],
    [
      "an entry that is not primary",
      { emails: [{ value: email, type: "work", primary: false }] },
      { email, emails: [{ type: "work", primary: false }] },
    ],
    [
      "no email, if the main address is invalid",
      { emails: [{ value: "ada", primary: true }, home] },
      { emails: [{ value: "ada", primary: true }, home] },
    ],
    [
      "no email, if the main address is too long",
      { emails: [{ value: `${"a".repeat(250)}@x.example` }] },
      { emails: [{ value: `${"a".repeat(250)}@x.example` }] },
    ],
    [
      "no entries without a value",
      { emails: [{ type: "work" }, { value: "" }, home] },
      { email: home.value, emails: [{ type: "home" }] },
    ],
    [
      "an entry as sent, if it says more than entries do",
      { emails: [{ value: email, verified: true }] },
      { email, emails: [{ value: email, verified: true }] },
    ],
    ["no emails", {}, {}],
    ["active, if it was sent", { active: true }, { active: true }],
    ["inactive, if it was sent", { active: false }, { active: false }],
    ["custom fields", { [rosterUser]: { level: 5 } }, { level: 5 }],
    ["other extensions", { [other]: { a: 1 } }, { scim: { extensions: { [other]: { a: 1 } } } }],
    ["no extension without values", { [other]: {}, [rosterUser]: {}, [enterpriseUser]: {} }, {}],
    ["an attribute that was sent as a custom field", { [rosterUser]: { title: "T" } }, { title: "T" }],
    [
      "the attribute, if it was also sent as a custom field",
      { title: "T", [rosterUser]: { title: 5 } },
      { title: "T" },
    ],
    ["the manager", { [enterpriseUser]: { manager: { value: "7" } } }, { manager: { value: "7" } }],
    [
      "a manager without the URL that follows from the value",
      { [enterpriseUser]: { manager: { value: "7", $ref: "../Users/7" } } },
      { manager: { value: "7" } },
    ],
    [
      "another URL of a manager",
      { [enterpriseUser]: { manager: { value: "7", $ref: "/people/7" } } },
      { manager: { value: "7", $ref: "/people/7" } },
    ],
  ])("%s", (_, document, record) => {
    const found = userRecord({ userName: "ada", displayName: "Ada", ...document }, undefined).record;
    expect(found).toEqual({ name: "Ada", userName: "ada", ...record } as typeof found);
  });
});

describe("a user whose email another user has", () => {
  const main = { value: "ada@example.com", type: "work", primary: true };
  test("has no email, and the entries as they were sent", () => {
    const { record, withoutEmail } = userRecord(
      { userName: "ada", displayName: "Ada", emails: [main] },
      undefined,
    );
    expect(record.email).toBe(main.value);
    expect(withoutEmail).toEqual({ name: "Ada", userName: "ada", emails: [main] });
  });

  test("shows the address, and keeps having no email while the emails stay", () => {
    const before = stored({ name: "Ada", userName: "ada", emails: [main] });
    const document = userDocument(before, locate);
    expect(document.emails).toEqual([main]);
    expect(userRecord({ ...document, title: "T" }, before)).toEqual({
      record: { name: "Ada", userName: "ada", title: "T", emails: [main] },
      withoutEmail: undefined,
    });
  });

  test("cannot be told from others without an email", () => {
    const { withoutEmail } = userRecord({ userName: "ada", emails: [{ value: "no address" }] }, undefined);
    expect(withoutEmail).toBeUndefined();
  });
});

describe("a user that SCIM changes first", () => {
  const change = (record: JsonObject) => {
    const before = stored(record);
    return userRecord({ ...userDocument(before, locate), title: "T" }, before).record;
  };

  test("gets its email as user name", () => {
    expect(change(ada)).toEqual({ ...ada, userName: "ada@example.com", title: "T" });
  });

  test("keeps its user name", () => {
    expect(change({ ...ada, userName: "ada" })).toEqual({ ...ada, userName: "ada", title: "T" });
  });

  test("gets no stand-in as user name, and keeps one that it has", () => {
    expect(change({ name: "Ada" })).toEqual({ name: "Ada", title: "T" });
    expect(change({ name: "Ada", userName: "roster-42" })).toEqual({
      name: "Ada",
      userName: "roster-42",
      title: "T",
    });
  });

  test("stays without active while it is active", () => {
    expect(change(ada)).not.toHaveProperty("active");
    expect(change({ ...ada, active: true }).active).toBe(true);
    const before = stored(ada);
    expect(userRecord({ ...userDocument(before, locate), active: false }, before).record.active).toBe(false);
  });

  test("keeps what it does not show", () => {
    const record = { ...ada, userName: "ada", tags: [], none: null, deep: { a: null, token: "t" }, scim: {} };
    expect(change(record)).toEqual({ ...record, title: "T" });
  });

  test("keeps what scim has besides extensions", () => {
    const scim = { note: "x", displayName: "y", extensions: { "urn:x": 5, [other]: { a: null, b: 1 } } };
    expect(change({ ...ada, userName: "ada", scim }).scim).toEqual(scim);
  });
});

test("a custom field is removed, and another one with it if it does not fit", () => {
  const before = stored({ ...ada, userName: "ada", level: 5, title: 5 });
  const { [rosterUser]: _, ...document } = userDocument(before, locate);
  expect(userRecord(document, before).record).toEqual({ ...ada, userName: "ada" });
});

test("an extension changes alone", () => {
  const extensions = { [other]: { a: null, b: 1 }, "urn:x:User": { c: 1 } };
  const before = stored({ ...ada, userName: "ada", scim: { extensions } });
  const document = { ...userDocument(before, locate), "urn:x:User": { c: 2 } };
  expect(userRecord(document, before).record.scim).toEqual({
    extensions: { [other]: { a: null, b: 1 }, "urn:x:User": { c: 2 } },
  });
});

describe("a document is refused", () => {
  test.each<[what: string, document: JsonObject, error: string]>([
    ["without a user name", {}, "invalidValue: userName is required."],
    [
      "with name as custom field",
      { userName: "a", [rosterUser]: { name: "A" } },
      "invalidValue: name is not a custom field.",
    ],
    [
      "with scim as custom field",
      { userName: "a", [rosterUser]: { scim: {} } },
      "invalidValue: scim is not a custom field.",
    ],
    [
      "with email as custom field",
      { userName: "a", [rosterUser]: { email: "a" } },
      "invalidValue: email is not a custom field.",
    ],
    [
      "with version as custom field",
      { userName: "a", [rosterUser]: { version: 1 } },
      "invalidValue: version is not a custom field.",
    ],
  ])("%s", (_, document, error) => {
    expect(errorOf(() => userRecord(document, undefined))).toBe(error);
  });
});

test("a manager stays as it is stored while the URLs of documents differ", () => {
  const before = stored({ ...ada, userName: "ada", manager: { value: "7", extra: null } });
  const document = userDocument(before, (path) => `https://elsewhere.example${path}`);
  expect(userRecord({ ...document, title: "T" }, before).record.manager).toEqual(before.manager);
});
