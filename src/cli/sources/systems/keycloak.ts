import { ConfigError } from "../../../config/config.ts";
import { isObject, nameFrom, toText, toTime } from "../conversions.ts";
import {
  allFor,
  CREDENTIAL,
  onlyUsedBy,
  type Source,
  type SourceGroup,
  type SourceGroups,
  type SourceRecord,
} from "../source.ts";

const GROUPS = "groups";
const MAX_LEVELS = 100;

/** Groups are in a tree: a group has subgroups, and users name the group that they are in by its path. */
const groups: SourceGroups = {
  collection: GROUPS,
  rules: [
    { to: "name", from: ["name"], note: "with --flatten, that of a subgroup is its path" },
    { to: "keycloakId", from: ["id"] },
    { to: "description", from: ["description"] },
  ],
  spread: ["attributes"],
  unwrap: true,
  leftOut: {
    ...allFor("Groups of Roster have no roles.", ["realmRoles", "clientRoles"]),
    ...allFor(onlyUsedBy("Keycloak"), ["access", "parentId", "subGroupCount"]),
  },
  read(record) {
    if (record.username !== undefined) return undefined;
    // A group of the Admin REST API.
    if (record.name !== undefined && Array.isArray(record.subGroups)) return readTree(record);
    // A realm, whose users are in other files, or the part of it that has a group.
    const groups = listOf(record.groups).filter(isObject);
    const isRealm = record.realm !== undefined || groups.length > 0;
    return isRealm ? groups.flatMap(readTree) : undefined;
  },
  keysOf: () => [],
  groupsOf: (user) =>
    listOf(user.groups).flatMap((item) => {
      const path = toText(item);
      return path === undefined ? [] : [toKey(path)];
    }),
  groupOf,
};

/** Keycloak: a realm with users, as `kc.sh export` writes it, or the users of the Admin REST API (UserRepresentation). */
export const keycloak: Source = {
  title: "Keycloak",
  formats: ["json"],
  collection: "users",
  id: "keycloakId",
  expected: ["username"],
  rules: [
    {
      to: "name",
      from: ["firstName", "lastName", "username", "email", "id"],
      read: nameFrom([[0, 1], [2], [3], [4]]),
      note: "first and last name, else the username",
    },
    { to: "email", from: ["email"] },
    { to: "active", from: ["enabled"] },
    { to: "keycloakId", from: ["id"] },
    { to: "userName", from: ["username"] },
    { to: "firstName", from: ["firstName"] },
    { to: "lastName", from: ["lastName"] },
    { to: "emailVerified", from: ["emailVerified"] },
    { to: "originalCreatedAt", from: ["createdTimestamp"], read: toTime, note: "as RFC 3339" },
    { to: "realmRoles", from: ["realmRoles"] },
    { to: "clientRoles", from: ["clientRoles"] },
    { to: "federatedIdentities", from: ["federatedIdentities"] },
  ],
  spread: ["attributes"],
  unwrap: true,
  memberships: [GROUPS],
  groups,
  leftOut: {
    ...allFor(CREDENTIAL, ["credentials"]),
    ...allFor(onlyUsedBy("Keycloak"), [
      "access",
      "applicationRoles",
      "clientConsents",
      "disableableCredentialTypes",
      "federationLink",
      "notBefore",
      "origin",
      "requiredActions",
      "self",
      "socialLinks",
      "totp",
      "userProfileMetadata",
    ]),
  },
  skip: ({ serviceAccountClientId }) => (serviceAccountClientId ? "service accounts of clients" : undefined),
};

/** The group and all groups inside of it. */
function readTree(top: SourceRecord): SourceGroup[] {
  const found: SourceGroup[] = [];
  const waiting: { readonly group: SourceRecord; readonly names: string[]; readonly parent?: string }[] = [
    { group: top, names: [nameOf(top)] },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { group, names, parent } = next;
    const { path, subGroups, ...fields } = group;
    checkLevels(names);
    const name = names.join("/");
    const key = toKey(toText(path) ?? name);
    found.push({ key, sourceId: key, record: { ...fields, name }, members: [], parent });
    for (const child of listOf(subGroups).filter(isObject).reverse()) {
      waiting.push({ group: child, names: [...names, nameOf(child)], parent: key });
    }
  }
  return found;
}

/** The group of a path such as /sales/emea. Keycloak can be set to write a slash in a name as ~/ */
function groupOf(path: string): SourceGroup {
  const names = path.slice(1).split(/(?<!~)\//);
  checkLevels(names);
  return {
    key: path,
    sourceId: path,
    record: { name: names.map((name) => name.replaceAll("~/", "/")).join("/") },
    members: [],
    parent: names.length === 1 ? undefined : toKey(names.slice(0, -1).join("/")),
  };
}

function checkLevels(names: readonly string[]): void {
  if (names.length <= MAX_LEVELS) return;
  const path = names.slice(0, 3).join("/");
  throw new ConfigError(`Groups are nested in more than ${MAX_LEVELS} levels: /${path}/…`);
}

function nameOf({ name, id }: SourceRecord): string {
  return toText(name) ?? toText(id) ?? "";
}

/** The path with one slash in front. */
function toKey(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
