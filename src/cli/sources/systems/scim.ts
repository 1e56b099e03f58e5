import { isObject, nameFrom, toText } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

const ENTERPRISE = '"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"';

/** SCIM 2.0 (RFC 7643): list responses of `GET /Users`, one after the other, or single users. */
export const scim: Source = {
  title: "SCIM",
  formats: ["json"],
  collection: "Resources",
  id: "scimId",
  expected: ["userName"],
  rules: [
    {
      to: "name",
      from: ["displayName", "name.formatted", "name.givenName", "name.familyName", "userName", "id"],
      read: nameFrom([[0], [1], [2, 3], [4], [5]]),
      note: "the display name, else the formatted name, given and family name",
    },
    {
      to: "email",
      from: ["emails", "userName"],
      read: ([emails, userName]) => addresses(emails)[0] ?? toAddress(userName),
      note: "the primary one, else a userName that is an address",
    },
    { to: "otherEmails", from: ["emails"], read: otherEmails, note: "all but the primary one" },
    { to: "scimId", from: ["id"] },
    { to: "userName", from: ["userName"] },
    { to: "groupNames", from: ["groups"], read: groupNames },
    { to: "originalCreatedAt", from: ["meta.created"] },
  ],
  spread: ["", "name", ENTERPRISE],
  leftOut: {
    ...allFor(CREDENTIAL, ["password", "x509Certificates"]),
    ...allFor(onlyUsedBy("SCIM"), [
      "schemas",
      "meta.resourceType",
      "meta.lastModified",
      "meta.location",
      "meta.version",
    ]),
  },
  skip: ({ meta }) =>
    isObject(meta) && typeof meta.resourceType === "string" && meta.resourceType !== "User"
      ? `resources of the type ${meta.resourceType}`
      : undefined,
};

/** The primary address first. */
function addresses(emails: unknown): string[] {
  const entries = Array.isArray(emails) ? emails.filter(isObject) : [];
  return [
    ...entries.filter(({ primary }) => primary === true),
    ...entries.filter(({ primary }) => primary !== true),
  ].flatMap(({ value }) => toText(value) ?? []);
}

function groupNames([groups]: readonly unknown[]): string[] | undefined {
  const entries = Array.isArray(groups) ? groups.filter(isObject) : [];
  const names = entries.flatMap(({ display, value }) => toText(display) ?? toText(value) ?? []);
  return names.length > 0 ? names : undefined;
}

function toAddress(userName: unknown): string | undefined {
  return typeof userName === "string" && userName.includes("@") ? userName : undefined;
}

function otherEmails([emails]: readonly unknown[]): string[] | undefined {
  const [first, ...others] = addresses(emails);
  const different = others.filter((address) => address !== first);
  return different.length > 0 ? different : undefined;
}
