import { firstText, nameFrom, toBoolean, toText, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source, type SourceRecord } from "../source.ts";

const PERSONS = ["person", "inetorgperson", "organizationalperson", "posixaccount", "account", "user"];
/** The bit of userAccountControl in Active Directory that disables an account. */
const ACCOUNT_DISABLED = 2;

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
    { to: "ldapDn", from: ["dn"], read: firstText },
    { to: "ldapId", from: ["entryUUID", "nsUniqueId", "objectGUID"], read: ids, note: "objectGUID as text" },
    { to: "originalCreatedAt", from: ["createTimestamp", "whenCreated"], read: toTime, note: "as RFC 3339" },
  ],
  spread: [""],
  unwrap: true,
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
    ...allFor(onlyUsedBy("LDAP"), [
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
    ]),
  },
  skip,
};

/** Groups, units and computers are not imported. An entry without classes is a user if it has a user name or an email. */
function skip(entry: SourceRecord): string | undefined {
  const classes = listOf(entry.objectClass).map((name) => String(name).toLowerCase());
  const isPerson =
    classes.length === 0
      ? ["mail", "uid", "sAMAccountName"].some((name) => entry[name] !== undefined)
      : PERSONS.some((name) => classes.includes(name)) && !classes.includes("computer");
  if (isPerson) return undefined;
  const kind = listOf(entry.objectClass).at(-1);
  return kind === undefined ? "entries that are not persons" : `entries of the class ${String(kind)}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function otherValues([value]: readonly unknown[]): string[] | undefined {
  const texts = listOf(value)
    .slice(1)
    .flatMap((item) => toText(item) ?? []);
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
