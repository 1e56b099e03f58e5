import { describe, expect, test } from "bun:test";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { SourceImport } from "../../../src/cli/sources/source-import.ts";
import { type SourceName, sources } from "../../../src/cli/sources/sources.ts";
import { root } from "../../support/paths.ts";

async function open(from: SourceName, names: Record<string, string> = {}): Promise<SourceImport> {
  return new SourceImport(await sources[from](), new Map(Object.entries(names)));
}

async function read(source: SourceImport, bytes: AsyncIterable<Uint8Array>) {
  const text = (await Array.fromAsync(source.read(bytes))).join("");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const fixture = (name: string) => createReadStream(join(root, "test/commands/exports", name));

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
    expect(await read(await open("supabase"), once(Buffer.from(json)))).toEqual([
      { name: "Ada", email: "a@b.example", supabaseId: "1", userMetadata: { name: "Ada" } },
    ]);
  });

  test("without users is empty, and a file of another format is rejected", async () => {
    expect(await read(await open("keycloak"), once(Buffer.from('{"users":[]}')))).toEqual([]);
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
    const lines: string[] = [];
    source.leftOut.print({
      isTTY: false,
      write: (text) => lines.push(...String(text).split("\n")) > 0,
      drained: () => Promise.resolve(),
      rewriteLine: () => undefined,
      hasColors: () => false,
    });
    expect(lines.find((line) => line.startsWith("credentials"))).toMatch(/^credentials +1 /);
  });
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
    expect(ada).not.toHaveProperty("username");
    expect(ada).not.toHaveProperty("email", "ada@keycloak.example");
    expect(source.mapping.unusedNames.size).toBe(0);
  });

  test.each([
    [{ credentials: "x" }, "stores no passwords"],
    [{ "profile.password": "x" }, "stores no passwords"],
    [{ email: "secret" }, "a field name is a letter"],
    [{ email: "id" }, "a field name is a letter"],
    [{ "post code": "zip" }, "needs quotes"],
  ])("rejects %o", async (names, text) => {
    await expect(open("keycloak", names)).rejects.toThrow(text);
  });
});
