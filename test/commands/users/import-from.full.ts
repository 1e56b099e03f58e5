import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { onEachEngine } from "../../support/engines.ts";
import { root } from "../../support/paths.ts";
import { runRoster, stopAll } from "../../support/process/roster.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

const exportsFolder = join(root, "test/commands/exports");
const SECRET = "Roster stores no passwords, hashes and other secrets.";

let service: TestService;

function importFrom(from: string, file: string, ...args: string[]) {
  return runRoster(["users", "import", file, "--from", from, ...args], {
    cwd: exportsFolder,
    env: { ROSTER_URL: service.url },
  });
}

/** The stored users with this filter, without the fields that the service writes. */
async function stored(filter: string) {
  const users: Record<string, unknown>[] = [];
  for await (const user of service.roster.users.export({ filter })) {
    const { id: _id, version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...record } = user;
    users.push(record);
  }
  return users;
}

onEachEngine((engine) => {
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(async () => {
    await service.stop();
    await stopAll();
  });

  test("imports a realm of Keycloak, and reports what has no place", async () => {
    const ran = await importFrom("keycloak", "keycloak.json");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^Imported 2 users, 0 failed \(/);
    expect(ran.stdout).toContain("Not imported: 1 record (service accounts of clients).");
    expect(ran.stdout).toMatch(/\nImported 1 group, 0 failed \(.*\nAdded 1 membership, 0 failed \(.*\n$/);
    expect(ran.stdout).toMatch(new RegExp(`credentials +1 +${SECRET}`));
    expect(ran.stdout).toMatch(/attributes\.email +1 +The field email has another value\./);
    expect(await stored("keycloakId pr")).toEqual([
      {
        name: "Ada Lovelace",
        email: "ada@keycloak.example",
        active: true,
        keycloakId: "f2a1c7de-0d8a-4c47-8c2f-1a2b3c4d5e6f",
        userName: "ada",
        firstName: "Ada",
        lastName: "Lovelace",
        emailVerified: true,
        originalCreatedAt: "2023-11-14T22:13:20.000Z",
        realmRoles: ["user", "admin"],
        clientRoles: { web: ["editor"] },
        department: "engines",
        phone_number: "+44 20 1",
        languages: ["en", "fr"],
      },
      {
        name: "grace",
        active: false,
        keycloakId: "0b9d3c55-4f1e-4a6a-9b53-9f0f3a1b2c3d",
        userName: "grace",
        emailVerified: false,
        originalCreatedAt: "2023-11-14T22:13:21.000Z",
      },
    ]);
  });
});

describe("the exports of real servers", () => {
  // test/cli/sources/recorded-exports.test.ts checks every field.
  test.each([
    ["json-server", "json-server.json", 3, "email (2), nickname (1), manager (1), tags (1)"],
    ["keycloak", "keycloak.json", 3, "attributes.nickname (1)"],
    ["ldif", "openldap.ldif", 2, "gecos (1)"],
    ["pocketbase", "pocketbase.pages", 3, "avatar (3), nickname (2)"],
    ["scim", "scim2-server.pages", 3, "displayName (1)"],
    ["supabase", "supabase.csv", 5, "aud (5), role (5)"],
  ])("of %s become users, and the report counts the empty fields", async (from, file, count, empty) => {
    service = await startService();
    try {
      const ran = await importFrom(from, join("recorded", file));
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(ran.stdout).toStartWith(`Imported ${count} users, 0 failed (`);
      expect(ran.stdout).toMatch(/\nEmpty fields that were not imported, and their users: .*\.\n/);
      expect(ran.stdout).toContain(empty);
      const [ada, ...others] = await stored('name eq "Ada Lovelace"');
      expect(ada).toMatchObject({ email: "ada@example.com" });
      expect(others).toEqual([]);
    } finally {
      await service.stop();
      await stopAll();
    }
  });
});

describe("the exports of other systems", () => {
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
    await stopAll();
  });

  const expected: Record<string, { file: string; users: object[]; report: string[] }> = {
    "json-server": {
      file: "json-server.json",
      users: [
        {
          name: "Ada Lovelace",
          email: "ada@json-server.example",
          jsonServerId: 1,
          address: { city: "London", "post code": "W1" },
          originalCreatedAt: "2024-05-01T00:00:00.000Z",
        },
        { name: "Grace Hopper", firstName: "Grace", jsonServerId: "b7f3" },
        { name: "kj", username: "kj", jsonServerId: "12345678901234567890", favourite_colour: "blue" },
      ],
      report: ["password", "resetToken"],
    },
    okta: {
      file: "okta.pages",
      users: [
        { name: "Ada Lovelace", email: "ada@okta.example", active: true, department: "engines" },
        { name: "Rear Admiral Grace Hopper", active: false, oktaStatus: "SUSPENDED", oktaId: "00u2" },
      ],
      report: ["credentials"],
    },
    clerk: {
      file: "clerk.csv",
      users: [
        {
          name: "Ada Lovelace",
          clerkId: "user_2abc",
          verifiedEmails: ["ada@clerk.example", "countess@clerk.example"],
        },
        { name: "grace", email: "grace@clerk.example", unverifiedEmails: ["navy@clerk.example"] },
      ],
      report: ["password_digest", "totp_secret"],
    },
    supabase: {
      file: "supabase.csv",
      users: [
        { name: "Ada Lovelace", emailVerified: true, userMetadata: { full_name: "Ada Lovelace", age: 36 } },
        { name: "grace@supabase.example", active: false, originalCreatedAt: "2024-02-04T00:00:00.000Z" },
      ],
      report: ["encrypted_password"],
    },
    firebase: {
      file: "firebase.json",
      users: [
        { name: "Ada Lovelace", firebaseId: "Zx81aB", customClaims: { admin: true }, phoneNumber: "+44201" },
        { name: "+1555", active: false, originalCreatedAt: "2023-11-14T22:13:22.000Z" },
      ],
      report: ["passwordHash", "salt", "customAttributes.apiKey"],
    },
    ldif: {
      file: "directory.ldif",
      users: [
        {
          name: "Ada Lovelace",
          email: "ada@ldap.example",
          otherEmails: ["countess@ldap.example"],
          ldapDn: "uid=ada,ou=people,dc=example,dc=org",
          telephoneNumber: "+44 20 1",
          description: "Énorme différence",
        },
        { name: "José Müller", active: false, ldapId: "03020100-0504-0706-0809-0a0b0c0d0e0f" },
      ],
      report: ["userPassword"],
    },
    scim: {
      file: "scim.pages",
      users: [
        {
          name: "Ada Lovelace",
          email: "ada@scim.example",
          userName: "ada.lovelace",
          emails: [
            { value: "countess@scim.example", type: "home" },
            { type: "work", primary: true },
          ],
          givenName: "Ada",
          department: "engines",
        },
        { name: "Grace Hopper", userName: "grace@scim.example", active: false },
      ],
      report: ["password", "x509Certificates"],
    },
  };
  const ids: Record<string, string> = {
    "json-server": "jsonServerId",
    ldif: "ldapDn",
  };
  test.each(Object.keys(expected))("of %s become users, without credentials", async (from) => {
    const { file, users, report } = expected[from] ?? { file: "", users: [], report: [] };
    const ran = await importFrom(from, file);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    for (const field of report) {
      expect(ran.stdout).toMatch(new RegExp(`${field.replace(".", "\\.")} +\\d+ +${SECRET}`));
    }
    const all = await stored(`${ids[from] ?? `${from}Id`} pr`);
    expect(all).toMatchObject(users);
    expect(all).toHaveLength(users.length);
    expect(JSON.stringify(all)).not.toMatch(/hash|salt|\$2[ab]\$|secret|hunter2|t0k3n|engine"|SSHA/i);
  });

  test("follow --map, and --dry-run changes nothing", async () => {
    const ran = await importFrom(
      "okta",
      "okta.pages",
      "--dry-run",
      "--on-conflict",
      "skip",
      "--map",
      "profile.login=name",
      "--map",
      "type.id=oktaType",
      "--map",
      "profile.department=",
      "--map",
      "nothing=x",
    );
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toStartWith("Checked 2 lines: 0 created, 2 skipped, 0 failed. Nothing was changed.");
    expect(ran.stdout).toMatch(/profile\.department +1 +You left it out with --map\./);
    expect(ran.stdout).toContain("No user has the field nothing of --map.");
    expect(await stored('name eq "ada@okta.example"')).toEqual([]);
    const mapping = await importFrom("okta", "", "--show-mapping", "--map", "profile.login=name");
    expect(mapping.stdout).toMatch(/^Okta +Roster +note\nprofile\.login +name\n/);
    expect(mapping.stdout).toMatch(/\ncredentials +— +Roster stores no/);
  });

  test("name the user of an error by the id of the other system", async () => {
    // Ada has two accounts with the same address.
    const ran = await importFrom("auth0", "auth0.ndjson", "--output", "ndjson");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toStartWith(
      "user 3 (google-oauth2|1179): email: ADA@auth0.example is already in use.\n",
    );
    expect(ran.stderr).toMatch(new RegExp(`user_metadata\\.password +1 +${SECRET}`));
    const results = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results.map(({ status, sourceId }) => [status, sourceId])).toEqual([
      [201, "auth0|5f7c8ec7c33c6c004bbafe82"],
      [201, "auth0|61a0"],
      [409, "google-oauth2|1179"],
    ]);
    expect(await stored("auth0Id pr")).toMatchObject([
      { name: "Ada Lovelace", userMetadata: { plan: "pro" }, appMetadata: { roles: ["admin"] } },
      { name: "grace", active: false },
    ]);
  });

  test("of another system end with one line", async () => {
    const ran = await importFrom("scim", "keycloak.json");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(
      "Record 1 of the file is not a user of SCIM: it has no userName or schemas.",
    );
    expect(ran.stderr).toContain("It has the lists clients, users");
    const missing = await importFrom("keycloak", "");
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("FILE is required");
  });
});
