import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { isSourceName } from "../../../src/cli/sources/sources.ts";
import { fixture, once, openSource as open, printReport, readUsers as read } from "./support/read-export.ts";

describe("an export of another system", () => {
  test("can be compressed with gzip", async () => {
    const text = '{"user_id":"auth0|zip","email":"zip@auth0.example"}\n';
    expect(await read(await open("auth0"), once(gzipSync(text)))).toEqual([
      { name: "zip@auth0.example", email: "zip@auth0.example", auth0Id: "auth0|zip" },
    ]);
  });

  test("can be in UTF-16 or have a byte order mark", async () => {
    const csv = "\ufeffuser_id,email,user_metadata.city\n'a|1,'u@auth0.example,'Malmö\n";
    for (const encoding of ["utf16le", "utf8"] as const) {
      expect(await read(await open("auth0"), once(Buffer.from(csv, encoding)))).toEqual([
        {
          name: "u@auth0.example",
          email: "u@auth0.example",
          auth0Id: "a|1",
          userMetadata: { city: "Malmö" },
        },
      ]);
    }
  });

  test("can have the other format of the system", async () => {
    expect(await read(await open("clerk"), fixture("clerk.json"))).toMatchObject([
      { name: "Katherine Johnson", email: "katherine@clerk.example", active: false, externalId: "42" },
    ]);
    expect(await read(await open("firebase"), fixture("firebase.csv"))).toMatchObject([
      { name: "Johnson, Katherine", phoneNumber: "+1556", customClaims: { admin: true } },
    ]);
    const json = '[{"id":"1","email":"a@b.example","raw_user_meta_data":{"name":"Ada"}}]';
    expect(await read(await open("supabase"), once(json))).toEqual([
      { name: "Ada", email: "a@b.example", supabaseId: "1", userMetadata: { name: "Ada" } },
    ]);
  });

  test("has times only where the system writes times", async () => {
    const json = `[{"id":1,"name":"A","createdAt":1700000000,"updatedAt":1700000000000,"ticket":1700000000,"code":"1700000000"},
      {"id":2,"name":"B","createdAt":7,"ticket":"2024-01-01"}]`;
    expect(await read(await open("json-server"), once(json))).toEqual([
      {
        name: "A",
        jsonServerId: 1,
        originalCreatedAt: "2023-11-14T22:13:20.000Z",
        originalUpdatedAt: "2023-11-14T22:13:20.000Z",
        ticket: 1_700_000_000,
        code: "1700000000",
      },
      { name: "B", jsonServerId: 2, originalCreatedAt: "7", ticket: "2024-01-01" },
    ]);
  });

  test("can say that an address is not confirmed, or not say it", async () => {
    const csv = `id,email,email_confirmed_at,phone,phone_confirmed_at
1,a@b.example,,15550001,
2,c@d.example,2024-01-01 00:00:00+00,,
`;
    expect(await read(await open("supabase"), once(csv))).toEqual([
      expect.objectContaining({ supabaseId: "1", emailVerified: false, phoneVerified: false }),
      { name: "c@d.example", email: "c@d.example", supabaseId: "2", emailVerified: true },
    ]);
    // A table without the columns, and a user of the Admin API, which omits null.
    const json = '[{"id":"1","email":"a@b.example"},{"id":"2","email":"c@d.example","app_metadata":{}}]';
    const [unknown, unconfirmed] = await read(await open("supabase"), once(json));
    expect(unknown).not.toHaveProperty("emailVerified");
    expect(unconfirmed).toMatchObject({ emailVerified: false });
    expect(unconfirmed).not.toHaveProperty("phoneVerified");
  });

  test("has empty fields, which the report counts", async () => {
    const source = await open("auth0");
    await read(
      source,
      once("user_id,email,nickname,user_metadata.city\n'a|1,,,\n'a|2,'u@auth0.example,,'Malmö\n"),
    );
    expect(printReport(source)).toContain(
      'Empty fields that were not imported, and their users: nickname (2), email (1), "user_metadata.city" (1).',
    );
    const many = await open("json-server");
    const fields = Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`f${index}`, null]));
    await read(many, once(JSON.stringify({ id: 1, ...fields })));
    expect(printReport(many)[0]).toEndWith("f39 (1) … and 5 more.");
  });

  test("without users is empty, and a file of another format is rejected", async () => {
    expect(await read(await open("keycloak"), once('{"users":[]}'))).toEqual([]);
    await expect(read(await open("keycloak"), fixture("directory.ldif"))).rejects.toThrow(
      "An export of Keycloak is JSON. This file is not.",
    );
    await expect(read(await open("ldif"), fixture("keycloak.json"))).rejects.toThrow("is LDIF");
  });

  test("reports each field once, also if the import is repeated, and names each user once", async () => {
    const source = await open("keycloak");
    await read(source, fixture("keycloak.json"));
    expect(source.takeId(1)).toBe("f2a1c7de-0d8a-4c47-8c2f-1a2b3c4d5e6f");
    await read(source, fixture("keycloak.json"));
    expect(source.takeId(1)).toBe("");
    expect(source.takeId(2)).toBe("0b9d3c55-4f1e-4a6a-9b53-9f0f3a1b2c3d");
    expect(printReport(source).find((line) => line.startsWith("credentials"))).toMatch(/^credentials +1 /);
  });
});

describe("user names", () => {
  const users = {
    auth0: { user_id: "1", username: "ada" },
    clerk: { id: "1", username: "ada" },
    keycloak: { id: "1", username: "ada" },
    okta: { id: "1", profile: { login: "ada" } },
    pocketbase: { id: "1", username: "ada" },
    scim: { id: "1", userName: "ada" },
  } as const;
  test.each(Object.entries(users))("of %s are imported", async (from, user) => {
    if (!isSourceName(from)) throw new Error(from);
    const [ada] = await read(await open(from), once(JSON.stringify([user])));
    expect(ada).toMatchObject({ userName: "ada" });
  });

  test("that are the email, in upper or lower case, are not imported", async () => {
    const source = await open("keycloak");
    const users = [
      { id: "1", username: "ADA@example.com", email: "ada@example.com" },
      { id: "2", username: "ada", email: "ada.king@example.com" },
      { id: "3", username: "grace@example.com" },
    ];
    const found = await read(source, once(JSON.stringify(users)));
    expect(found.map(({ userName }) => userName)).toEqual([undefined, "ada", "grace@example.com"]);
  });
});

test("groups that are only names are in groupNames: users have no field groups", async () => {
  const source = await open("json-server");
  const [ada] = await read(source, once('[{"id":1,"name":"Ada","groups":["staff"]}]'));
  expect(ada).toMatchObject({ groupNames: ["staff"] });
  expect(ada).not.toHaveProperty("groups");
});

describe("--map", () => {
  test("renames, replaces and leaves out fields, also inside of objects", async () => {
    const source = await open("keycloak", {
      username: "login",
      'attributes."phone.number"': "phone",
      email: "",
      "attributes.languages": "name",
      requiredActions: "todo",
    });
    const [ada] = await read(source, fixture("keycloak.json"));
    expect(ada).toMatchObject({ login: "ada", phone: ["+44 20 1"], todo: ["UPDATE_PROFILE"] });
    expect(ada).not.toHaveProperty("userName");
    expect(ada).not.toHaveProperty("email", "ada@keycloak.example");
    expect(source.mapping.unusedNames.size).toBe(0);
  });

  test("leaves out a field that is one of several sources of a field", async () => {
    const source = await open("supabase", { raw_user_meta_data: "", email: "" });
    const json =
      '[{"id":"1","email":"a@b.example","email_confirmed_at":null,"raw_user_meta_data":{"name":"Ada"}}]';
    expect(await read(source, once(json))).toEqual([{ name: "1", supabaseId: "1" }]);
    expect(printReport(source).join("\n")).toMatch(/raw_user_meta_data +1 +You left it out with --map\./);
    expect(source.mapping.describe()).toContainEqual(["user_metadata", "userMetadata", ""]);
  });

  test.each([
    [{ credentials: "x" }, "stores no passwords"],
    [{ "profile.password": "x" }, "stores no passwords"],
    [{ email: "secret" }, "a field name is a letter"],
    [{ groups: "groups" }, "a field name is a letter"],
    [{ groups: "" }, "to leave groups out, use --no-groups"],
    [{ email: "id" }, "a field name is a letter"],
    [{ "post code": "zip" }, "needs quotes"],
  ])("rejects %o", async (names, text) => {
    await expect(open("keycloak", names)).rejects.toThrow(text);
  });
});
