import { nameFrom, toBoolean, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

/** PocketBase: pages of `GET /api/collections/users/records`, or rows of the SQLite table of the collection. */
export const pocketbase: Source = {
  title: "PocketBase",
  formats: ["json", "csv"],
  collection: "items",
  id: "pocketbaseId",
  expected: ["id"],
  rules: [
    {
      to: "name",
      from: ["name", "username", "email", "id"],
      read: nameFrom([[0], [1], [2], [3]]),
      note: "the name, else the username, the email",
    },
    { to: "email", from: ["email"] },
    { to: "userName", from: ["username"] },
    { to: "pocketbaseId", from: ["id"] },
    { to: "emailVerified", from: ["verified"], read: toBoolean },
    { to: "originalCreatedAt", from: ["created"], read: toTime, note: "as RFC 3339" },
  ],
  spread: [""],
  leftOut: {
    ...allFor(CREDENTIAL, ["password", "passwordHash", "tokenKey"]),
    ...allFor(onlyUsedBy("PocketBase"), [
      "collectionId",
      "collectionName",
      "emailVisibility",
      "lastLoginAlertSentAt",
      "lastResetSentAt",
      "lastVerificationSentAt",
      "updated",
    ]),
    expand: "It repeats other records.",
  },
};
