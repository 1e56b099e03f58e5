import { nameFrom, notBoolean, toBoolean, toJson, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

const providers = ["google", "facebook", "twitter", "github"].flatMap((provider) =>
  ["Id", "Email", "Name", "Photo"].map((part) => `${provider}${part}`),
);

/** Firebase: the file of `firebase auth:export`. */
export const firebase: Source = {
  title: "Firebase",
  formats: ["json", "csv"],
  collection: "users",
  id: "firebaseId",
  expected: ["localId"],
  rules: [
    {
      to: "name",
      from: ["displayName", "email", "phoneNumber", "localId"],
      read: nameFrom([[0], [1], [2], [3]]),
      note: "the display name, else the email",
    },
    { to: "email", from: ["email"] },
    { to: "active", from: ["disabled"], read: notBoolean, note: "false if disabled" },
    { to: "firebaseId", from: ["localId"] },
    { to: "emailVerified", from: ["emailVerified"], read: toBoolean },
    { to: "phoneNumber", from: ["phoneNumber"] },
    { to: "picture", from: ["photoUrl"] },
    { to: "customClaims", from: ["customAttributes"], read: toJson, note: "the JSON in the text" },
    { to: "identities", from: ["providerUserInfo"] },
    { to: "originalCreatedAt", from: ["createdAt"], read: toTime, note: "as RFC 3339" },
    { to: "lastSignInAt", from: ["lastSignedInAt", "lastLoginAt"], read: toTime, note: "as RFC 3339" },
  ],
  spread: [],
  leftOut: {
    ...allFor(CREDENTIAL, ["passwordHash", "salt"]),
    ...allFor(onlyUsedBy("Firebase"), [
      "lastRefreshAt",
      "mfaInfo",
      "passwordUpdatedAt",
      "tenantId",
      "validSince",
      "version",
      ...providers,
    ]),
  },
  columns: [
    "localId",
    "email",
    "emailVerified",
    "passwordHash",
    "salt",
    "displayName",
    "photoUrl",
    ...providers,
    "createdAt",
    "lastSignedInAt",
    "phoneNumber",
    "disabled",
    "customAttributes",
  ],
};
