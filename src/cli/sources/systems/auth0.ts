import { nameFrom, notBoolean, toBoolean, toJson, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

/** Auth0: the NDJSON or CSV of a users-exports job, or users of the Management API. */
export const auth0: Source = {
  title: "Auth0",
  formats: ["json", "csv"],
  collection: "users",
  id: "auth0Id",
  expected: ["user_id", "email"],
  rules: [
    {
      to: "name",
      from: ["name", "given_name", "family_name", "nickname", "username", "email", "user_id"],
      read: nameFrom([[0], [1, 2], [3], [4], [5], [6]]),
      note: "the name, else given and family name, nickname, username",
    },
    { to: "email", from: ["email"] },
    { to: "active", from: ["blocked"], read: notBoolean, note: "false if blocked" },
    { to: "auth0Id", from: ["user_id"] },
    { to: "userName", from: ["username"] },
    { to: "givenName", from: ["given_name"] },
    { to: "familyName", from: ["family_name"] },
    { to: "nickname", from: ["nickname"] },
    { to: "emailVerified", from: ["email_verified"], read: toBoolean },
    { to: "phoneNumber", from: ["phone_number"] },
    { to: "phoneVerified", from: ["phone_verified"], read: toBoolean },
    { to: "picture", from: ["picture"] },
    { to: "userMetadata", from: ["user_metadata"] },
    { to: "appMetadata", from: ["app_metadata"] },
    { to: "identities", from: ["identities"], read: identities, note: "provider, connection and user id" },
    { to: "originalCreatedAt", from: ["created_at"], read: toTime, note: "as RFC 3339" },
    { to: "lastSignInAt", from: ["last_login"], read: toTime, note: "as RFC 3339" },
  ],
  spread: [],
  leftOut: {
    ...allFor(CREDENTIAL, [
      "password",
      "password_hash",
      "passwordHash",
      "custom_password_hash",
      "mfa_factors",
    ]),
    ...allFor(onlyUsedBy("Auth0"), [
      "guardian_authenticators",
      "last_ip",
      "last_password_reset",
      "logins_count",
      "multifactor",
      "multifactor_last_modified",
      "updated_at",
    ]),
  },
};

/** The members that say who the user is elsewhere. Others can be access tokens. */
function identities(values: readonly unknown[]) {
  const list = toJson(values);
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((identity) => {
    if (typeof identity !== "object" || identity === null || Array.isArray(identity)) return [];
    const { provider = null, connection = null, user_id: userId = null } = identity;
    return [{ provider, connection, userId }];
  });
}
