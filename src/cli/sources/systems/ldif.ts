import { firstText, nameFrom, toBoolean, toText, toTime } from "../conversions.ts";
import { normalizeDn } from "../dn.ts";
import {
  allFor,
  CREDENTIAL,
  onlyUsedBy,
  type Rule,
  type Source,
  type SourceGroups,
  type SourceRecord,
} from "../source.ts";

const PERSONS = ["person", "inetorgperson", "organizationalperson", "posixaccount", "account", "user"];
/** The last one is that of Active Directory. */
const GROUPS = ["groupofnames", "groupofuniquenames", "groupofmembers", "posixgroup", "group"];
/** The bit of userAccountControl in Active Directory that disables an account. */
const ACCOUNT_DISABLED = 2;

/** Rules of persons and of groups. */
const rulesOfEntries: readonly Rule[] = [
  { to: "ldapDn", from: ["dn"], read: firstText },
  { to: "gidNumber", from: ["gidNumber"], read: firstText },
  { to: "ldapId", from: ["entryUUID", "nsUniqueId", "objectGUID"], read: ids, note: "objectGUID as text" },
  { to: "originalCreatedAt", from: ["createTimestamp", "whenCreated"], read: toTime, note: "as RFC 3339" },
];
const onlyLdap = allFor(onlyUsedBy("LDAP"), [
  "contextCSN",
  "changetype",
  "creatorsName",
  "entryCSN",
  "entryDN",
  "hasSubordinates",
  "modifiersName",
  "modifyTimestamp",
  "objectClass",
  "objectSid",
  "structuralObjectClass",
  "subschemaSubentry",
  "whenChanged",
]);

const groups: SourceGroups = {
  collection: "",
  rules: [
    {
      to: "name",
      from: ["cn", "sAMAccountName", "dn"],
      read: nameFrom([[0], [1], [2]]),
      note: "cn, else sAMAccountName",
    },
    ...rulesOfEntries,
  ],
  spread: [""],
  unwrap: true,
  memberships: ["member", "uniqueMember", "memberUid"],
  leftOut: {
    ...allFor(CREDENTIAL, ["userPassword"]),
    ...onlyLdap,
    ...allFor(onlyUsedBy("Active Directory"), ["groupType", "instanceType", "sAMAccountType"]),
    memberOf: "Groups of Roster are not in groups.",
  },
  read(entry) {
    const classes = classesOf(entry);
    if (isPerson(entry, classes) || !GROUPS.some((name) => classes.includes(name))) return undefined;
    const members = [
      ...textsOf(entry.member).map(dnKey),
      // A DN can have bits after it: cn=ada,dc=example,dc=org#'0101'B
      ...textsOf(entry.uniqueMember).map((text) => dnKey(text.replace(/#'[01]*'B$/i, ""))),
      ...textsOf(entry.memberUid).map(uidKey),
    ];
    const gids = classes.includes("posixgroup") ? textsOf(entry.gidNumber).map(gidKey) : [];
    const dn = firstText([entry.dn]) ?? "";
    return [{ key: dnKey(dn), sourceId: dn, otherKeys: gids, record: entry, members }];
  },
  keysOf: (person) => [dnKey(firstText([person.dn]) ?? ""), ...textsOf(person.uid).map(uidKey)],
  // The primary group does not list its members.
  groupsOf: (person) => textsOf(person.gidNumber).map(gidKey),
  // The number of a group that the export does not have says nothing.
  groupOf: () => undefined,
};

/** LDIF (RFC 2849): entries of an LDAP directory or of Active Directory, as `ldapsearch` and `slapcat` write them. */
export const ldif: Source = {
  title: "LDAP",
  formats: ["ldif"],
  collection: "",
  id: "ldapDn",
  expected: ["dn"],
  rules: [
    {
      to: "name",
      from: ["displayName", "cn", "givenName", "sn", "uid", "sAMAccountName", "mail", "dn"],
      read: nameFrom([[0], [1], [2, 3], [4], [5], [6], [7]]),
      note: "displayName, else cn, givenName and sn, uid",
    },
    { to: "email", from: ["mail"], read: firstText, note: "the first one" },
    { to: "otherEmails", from: ["mail"], read: otherValues, note: "all but the first one" },
    {
      to: "active",
      from: ["userAccountControl", "nsAccountLock"],
      read: isActive,
      note: "false if the account is disabled",
    },
    ...rulesOfEntries,
  ],
  spread: [""],
  unwrap: true,
  groups,
  leftOut: {
    ...allFor(CREDENTIAL, [
      "authPassword",
      "krbExtraData",
      "krbPrincipalKey",
      "pwdHistory",
      "sambaLMPassword",
      "sambaNTPassword",
      "sambaPasswordHistory",
      "unicodePwd",
      "userPassword",
      "userPKCS12",
      "userCertificate",
    ]),
    ...onlyLdap,
  },
  skip,
};

/** Units and computers are not imported. */
function skip(entry: SourceRecord): string | undefined {
  if (isPerson(entry, classesOf(entry))) return undefined;
  const kind = listOf(entry.objectClass).at(-1);
  return kind === undefined ? "entries that are not persons" : `entries of the class ${String(kind)}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An entry without classes is a person if it has a user name or an email. */
function isPerson(entry: SourceRecord, classes: readonly string[]): boolean {
  if (classes.length === 0)
    return ["mail", "uid", "sAMAccountName"].some((name) => entry[name] !== undefined);
  return PERSONS.some((name) => classes.includes(name)) && !classes.includes("computer");
}

function classesOf(entry: SourceRecord): string[] {
  return listOf(entry.objectClass).map((name) => String(name).toLowerCase());
}

const dnKey = (dn: string) => `dn:${normalizeDn(dn)}`;
const uidKey = (uid: string) => `uid:${uid.normalize("NFC").toLowerCase()}`;
const gidKey = (gid: string) => `gid:${gid}`;

function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((item) => toText(item) ?? []);
}

function otherValues([value]: readonly unknown[]): string[] | undefined {
  const texts = textsOf(listOf(value).slice(1));
  return texts.length > 0 ? texts : undefined;
}

function isActive([control, lock]: readonly unknown[]): boolean | undefined {
  const bits = Number(firstText([control]) ?? Number.NaN);
  if (Number.isInteger(bits)) return (bits & ACCOUNT_DISABLED) === 0;
  const isLocked = toBoolean(listOf(lock));
  return isLocked === undefined ? undefined : !isLocked;
}

function ids(values: readonly unknown[]): string | undefined {
  const guid = listOf(values[2])[0];
  return firstText(values.slice(0, 2)) ?? (guid instanceof Uint8Array ? formatGuid(guid) : toText(guid));
}

/** Active Directory stores the first three groups of a GUID in reverse. */
function formatGuid(bytes: Uint8Array): string | undefined {
  if (bytes.length !== 16) return undefined;
  const hex = (from: number, to: number, isReversed: boolean) => {
    const part = Buffer.from(bytes.subarray(from, to));
    return (isReversed ? part.reverse() : part).toString("hex");
  };
  return [hex(0, 4, true), hex(4, 6, true), hex(6, 8, true), hex(8, 10, false), hex(10, 16, false)].join("-");
}
