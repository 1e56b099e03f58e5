import { nameFrom, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

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
    { to: "groupNames", from: ["groups"] },
    { to: "realmRoles", from: ["realmRoles"] },
    { to: "clientRoles", from: ["clientRoles"] },
    { to: "federatedIdentities", from: ["federatedIdentities"] },
  ],
  spread: ["attributes"],
  unwrap: true,
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
