import { expect, test } from "bun:test";
import type { SourceName } from "../../../src/cli/sources/sources.ts";
import { fixture, membersOf, openSource, printReport, readUsers } from "./support/read-export.ts";

// scripts/record-exports.ts records the files with the real servers. Ids and times of theirs are different each time.
const id = expect.any(String);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);

interface Expected {
  readonly from: SourceName;
  /** In the order of their names. */
  readonly users: readonly object[];
  readonly skipped?: readonly string[];
  /** The members of each group, by the lines of the users. */
  readonly groups?: Record<string, number[]>;
  /** The users of each field in the report. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly empty: Readonly<Record<string, number>>;
}

const keycloak: Pick<Expected, "from" | "users"> = {
  from: "keycloak",
  users: [
    {
      name: "Ada Lovelace",
      email: "ada@example.com",
      active: true,
      keycloakId: id,
      userName: "ada",
      firstName: "Ada",
      lastName: "Lovelace",
      emailVerified: true,
      originalCreatedAt: "2023-11-14T22:13:20.000Z",
      ticket: "1700000000",
      languages: ["en", "fr"],
      department: "engines",
      phone: "+44 20 1",
    },
    {
      name: "Zoë",
      email: "unconfirmed@example.com",
      active: false,
      keycloakId: id,
      userName: "zoë",
      firstName: "Zoë",
      emailVerified: false,
    },
    {
      name: "no-mail",
      active: true,
      keycloakId: id,
      userName: "no-mail",
      emailVerified: false,
      nickname: ["", "nobody"],
    },
  ],
};
const keycloakRoles = { realmRoles: ["offline_access"] };

const ldap: Pick<Expected, "from" | "users" | "groups" | "skipped"> = {
  from: "ldif",
  groups: { staff: [1] },
  users: [
    {
      name: "Ada Lovelace",
      email: "ada@example.com",
      otherEmails: ["countess@example.com"],
      ldapDn: "uid=ada,ou=people,dc=example,dc=org",
      ldapId: id,
      originalCreatedAt: time,
      uid: "ada",
      sn: "Lovelace",
      givenName: "Ada",
      employeeNumber: "1700000000",
      uidNumber: "1000",
      gidNumber: "1000",
      homeDirectory: "/home/ada",
    },
    {
      name: "Zoë Müller",
      ldapDn: "uid=zoë,ou=people,dc=example,dc=org",
      ldapId: id,
      originalCreatedAt: time,
      uid: "zoë",
      sn: "Müller",
      description: "A text that is long enough for ldapsearch to fold its line after seventy-eight columns.",
    },
  ],
  skipped: [
    "Not imported: 1 record (entries of the class organization).",
    "Not imported: 1 record (entries of the class organizationalUnit).",
  ],
};
const ldapLeftOut = {
  objectClass: 2,
  structuralObjectClass: 2,
  creatorsName: 2,
  entryCSN: 2,
  modifiersName: 2,
  modifyTimestamp: 2,
  userPassword: 1,
  jpegPhoto: 1,
};

/** The table has lists and objects as text, and its CSV numbers too. */
function pocketbaseUsers(ticket: (value: number) => unknown, json: (value: object) => unknown) {
  const common = { pocketbaseId: id, originalCreatedAt: time };
  return [
    {
      ...common,
      name: "Ada Lovelace",
      email: "ada@example.com",
      emailVerified: true,
      joined: "2024-05-01 10:00:00.000Z",
      profile: json({ city: "London", street: "" }),
      tags: json(["red", "green"]),
      ticket: ticket(1_700_000_000),
    },
    { ...common, name: "No Mail", emailVerified: false, boss: id, ticket: ticket(0) },
    {
      ...common,
      name: "unconfirmed@example.com",
      email: "unconfirmed@example.com",
      emailVerified: false,
      boss: id,
      nickname: "zoë",
      ticket: ticket(0),
    },
  ];
}
const pocketbaseEmpty = {
  avatar: 3,
  boss: 1,
  email: 1,
  joined: 2,
  name: 1,
  nickname: 2,
  profile: 2,
  tags: 2,
};
const pocketbaseTable = { emailVisibility: 3, password: 3, tokenKey: 3, updated: 3 };

const supabase: Pick<Expected, "from" | "users" | "skipped"> = {
  from: "supabase",
  users: [
    {
      name: "15550002",
      supabaseId: id,
      phoneNumber: "15550002",
      phoneVerified: true,
      appMetadata: { provider: "phone", providers: ["phone"] },
      originalCreatedAt: time,
    },
    {
      name: "Ada Lovelace",
      email: "ada@example.com",
      supabaseId: id,
      phoneNumber: "15550001",
      emailVerified: true,
      phoneVerified: false,
      userMetadata: {
        email_verified: true,
        full_name: "Ada Lovelace",
        manager: null,
        nickname: "",
        ticket: 1_700_000_000,
      },
      appMetadata: { provider: "email", providers: ["email", "phone"], roles: ["admin"] },
      originalCreatedAt: time,
    },
    {
      name: "Zoë Müller",
      email: "unconfirmed@example.com",
      supabaseId: id,
      emailVerified: false,
      userMetadata: { name: "Zoë Müller" },
      appMetadata: { provider: "email", providers: ["email"] },
      originalCreatedAt: time,
    },
    // An anonymous user has only an id.
    { name: "an id", supabaseId: id, originalCreatedAt: time, lastSignInAt: time },
    {
      name: "banned@example.com",
      email: "banned@example.com",
      active: false,
      supabaseId: id,
      emailVerified: true,
      userMetadata: { email_verified: true },
      appMetadata: { provider: "email", providers: ["email"] },
      originalCreatedAt: time,
    },
  ],
  skipped: ["Not imported: 1 record (deleted users)."],
};
const supabaseTable: Pick<Expected, "leftOut" | "empty"> = {
  leftOut: {
    instance_id: 5,
    updated_at: 5,
    email_change_confirm_status: 5,
    is_sso_user: 5,
    is_anonymous: 5,
    encrypted_password: 4,
    confirmed_at: 3,
  },
  empty: {
    aud: 5,
    role: 5,
    invited_at: 5,
    confirmation_token: 5,
    confirmation_sent_at: 5,
    recovery_token: 5,
    recovery_sent_at: 5,
    email_change_token_new: 5,
    email_change: 5,
    email_change_sent_at: 5,
    is_super_admin: 5,
    phone_change: 5,
    phone_change_token: 5,
    phone_change_sent_at: 5,
    email_change_token_current: 5,
    reauthentication_token: 5,
    reauthentication_sent_at: 5,
    deleted_at: 5,
    last_sign_in_at: 4,
    banned_until: 4,
    phone: 3,
    phone_confirmed_at: 3,
    confirmed_at: 2,
    email: 2,
    email_confirmed_at: 2,
    raw_user_meta_data: 2,
    encrypted_password: 1,
    raw_app_meta_data: 1,
  },
};

const recorded: Readonly<Record<string, Expected>> = {
  "json-server.json": {
    from: "json-server",
    users: [
      {
        name: "Ada Lovelace",
        email: "ada@example.com",
        jsonServerId: 1,
        originalCreatedAt: "2023-11-14T22:13:20.000Z",
        ticket: 1_700_000_000,
        address: { city: "London", street: "" },
      },
      {
        name: "Zoë Müller",
        jsonServerId: "b7f3",
        originalCreatedAt: "2024-05-01T10:00:00.000Z",
        firstName: "Zoë",
        lastName: "Müller",
      },
      { name: "no-mail", jsonServerId: 2, username: "no-mail", active: false, scores: [1, null, ""] },
    ],
    leftOut: { password: 1 },
    empty: { email: 2, nickname: 1, manager: 1, tags: 1 },
  },
  "keycloak.json": {
    ...keycloak,
    users: [{ ...keycloak.users[0], ...keycloakRoles }, ...keycloak.users.slice(1)],
    groups: { staff: [1] },
    skipped: ["Not imported: 1 record (service accounts of clients)."],
    leftOut: { totp: 3, notBefore: 3, credentials: 1, requiredActions: 1 },
    empty: {
      "attributes.nickname": 1,
      credentials: 2,
      disableableCredentialTypes: 3,
      groups: 2,
      lastName: 1,
      requiredActions: 2,
    },
  },
  "keycloak-admin.json": {
    ...keycloak,
    leftOut: { totp: 3, notBefore: 3, access: 3, requiredActions: 1 },
    empty: { "attributes.nickname": 1, disableableCredentialTypes: 3, lastName: 1, requiredActions: 2 },
  },
  "openldap.ldif": {
    ...ldap,
    leftOut: { ...ldapLeftOut, entryDN: 2, subschemaSubentry: 2, hasSubordinates: 2 },
    empty: { gecos: 1 },
  },
  "slapcat.ldif": { ...ldap, leftOut: ldapLeftOut, empty: { gecos: 1 } },
  "pocketbase.pages": {
    from: "pocketbase",
    users: pocketbaseUsers(
      (value) => value,
      (value) => value,
    ),
    leftOut: { collectionId: 3, collectionName: 3, emailVisibility: 3, expand: 2, updated: 3 },
    empty: { ...pocketbaseEmpty, expand: 1 },
  },
  "pocketbase.json": {
    from: "pocketbase",
    users: pocketbaseUsers((value) => value, JSON.stringify),
    leftOut: pocketbaseTable,
    empty: pocketbaseEmpty,
  },
  "pocketbase.csv": {
    from: "pocketbase",
    users: pocketbaseUsers(String, JSON.stringify),
    leftOut: pocketbaseTable,
    empty: pocketbaseEmpty,
  },
  "scim2-server.pages": {
    from: "scim",
    users: [
      {
        name: "Ada Lovelace",
        email: "ada@example.com",
        emails: [
          { value: "countess@example.com", type: "home" },
          { type: "work", primary: true },
        ],
        scimId: id,
        userName: "ada",
        originalCreatedAt: time,
        familyName: "Lovelace",
        givenName: "Ada",
        middleName: "",
        active: true,
        employeeNumber: "1700000000",
        department: "",
        scim: { displayName: null },
      },
      {
        name: "Grace Hopper",
        userName: "grace@example.com",
        scimId: id,
        originalCreatedAt: time,
        active: false,
      },
      {
        name: "zoë",
        scimId: id,
        userName: "zoë",
        originalCreatedAt: time,
        title: "",
        phoneNumbers: [{ value: "+49 30 1" }],
        scim: { displayName: null },
      },
    ],
    leftOut: {
      schemas: 3,
      "meta.resourceType": 3,
      "meta.lastModified": 3,
      "meta.location": 3,
      "meta.version": 3,
    },
    empty: { displayName: 1 },
  },
  "supabase-admin.pages": {
    ...supabase,
    leftOut: { updated_at: 5, is_anonymous: 5, confirmed_at: 3 },
    empty: { aud: 5, role: 5, identities: 5, phone: 3, email: 2, user_metadata: 2, app_metadata: 1 },
  },
  "supabase.csv": { ...supabase, ...supabaseTable },
  "supabase.json": { ...supabase, ...supabaseTable },
};

test.each(Object.entries(recorded))(
  "%s becomes users, and the report names each other field",
  async (file, expected) => {
    const source = await openSource(expected.from);
    const users = (await readUsers(source, fixture(`recorded/${file}`)))
      .map((user) => (user.name === user.supabaseId ? { ...user, name: "an id" } : user))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    expect(users).toEqual([...expected.users]);
    expect(JSON.stringify(users)).not.toMatch(/hunter2|\$2a\$/);
    const lines = printReport(source);
    expect(lines.filter((line) => line.startsWith("Not imported"))).toEqual([...(expected.skipped ?? [])]);
    expect(counts(lines, /^(\S+) +(\d+) {2}\S/g)).toEqual(expected.leftOut);
    expect(counts([lines.at(-2) ?? ""], /(\S+) \((\d+)\)/g)).toEqual(expected.empty);
    if (source.groups) expect(membersOf(source.groups)).toEqual(expected.groups ?? {});
  },
);

/** The users of each field. */
function counts(lines: readonly string[], pattern: RegExp): Record<string, number> {
  const matches = lines.flatMap((line) => [...line.matchAll(pattern)]);
  return Object.fromEntries(matches.map(([, field = "", count]) => [field, Number(count)]));
}
