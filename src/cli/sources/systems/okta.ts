import { nameFrom, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

/** Statuses of users who cannot sign in. */
const INACTIVE = new Set(["SUSPENDED", "DEPROVISIONED", "STAGED"]);

/** Okta: pages of `GET /api/v1/users`, one after the other. */
export const okta: Source = {
  title: "Okta",
  formats: ["json"],
  collection: "users",
  id: "oktaId",
  expected: ["profile"],
  rules: [
    {
      to: "name",
      from: [
        "profile.displayName",
        "profile.firstName",
        "profile.lastName",
        "profile.login",
        "profile.email",
        "id",
      ],
      read: nameFrom([[0], [1, 2], [3], [4], [5]]),
      note: "the display name, else first and last name",
    },
    { to: "email", from: ["profile.email"] },
    { to: "userName", from: ["profile.login"] },
    {
      to: "active",
      from: ["status"],
      read: ([status]) => !INACTIVE.has(String(status)),
      note: "false for SUSPENDED, DEPROVISIONED and STAGED",
    },
    { to: "oktaId", from: ["id"] },
    { to: "oktaStatus", from: ["status"] },
    { to: "originalCreatedAt", from: ["created"], read: toTime, note: "as RFC 3339" },
    { to: "lastSignInAt", from: ["lastLogin"], read: toTime, note: "as RFC 3339" },
  ],
  spread: ["profile"],
  leftOut: {
    ...allFor(CREDENTIAL, ["credentials"]),
    ...allFor(onlyUsedBy("Okta"), [
      "_embedded",
      "_links",
      "activated",
      "lastUpdated",
      "passwordChanged",
      "realmId",
      "statusChanged",
      "transitioningToStatus",
      "type",
    ]),
  },
};
