import type { Json } from "../../../contract/json.ts";
import { firstText, isObject, nameFrom, notBoolean, toList, toText, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

/** Clerk: the CSV of the dashboard, or users of the Backend API. */
export const clerk: Source = {
  title: "Clerk",
  formats: ["csv", "json"],
  collection: "data",
  id: "clerkId",
  expected: ["id"],
  rules: [
    {
      to: "name",
      from: ["first_name", "last_name", "username", "primary_email_address", "id"],
      read: nameFrom([[0, 1], [2], [3], [4]]),
      note: "first and last name, else the username",
    },
    {
      to: "email",
      from: ["primary_email_address", "primary_email_address_id", "email_addresses"],
      read: ([email, id, list]) => toText(email) ?? primary(list, id, "email_address"),
      note: "the primary address",
    },
    { to: "active", from: ["banned"], read: notBoolean, note: "false if banned" },
    { to: "clerkId", from: ["id"] },
    { to: "externalId", from: ["external_id"] },
    { to: "userName", from: ["username"] },
    { to: "firstName", from: ["first_name"] },
    { to: "lastName", from: ["last_name"] },
    {
      to: "phoneNumber",
      from: ["primary_phone_number", "primary_phone_number_id", "phone_numbers"],
      read: ([phone, id, list]) => toText(phone) ?? primary(list, id, "phone_number"),
      note: "the primary number",
    },
    { to: "verifiedEmails", from: ["verified_email_addresses"], read: toList },
    { to: "unverifiedEmails", from: ["unverified_email_addresses"], read: toList },
    { to: "verifiedPhoneNumbers", from: ["verified_phone_numbers"], read: toList },
    { to: "unverifiedPhoneNumbers", from: ["unverified_phone_numbers"], read: toList },
    { to: "picture", from: ["image_url", "profile_image_url"] },
    { to: "publicMetadata", from: ["public_metadata"] },
    { to: "privateMetadata", from: ["private_metadata"] },
    { to: "unsafeMetadata", from: ["unsafe_metadata"] },
    { to: "originalCreatedAt", from: ["created_at"], read: toTime, note: "as RFC 3339" },
    { to: "lastSignInAt", from: ["last_sign_in_at"], read: toTime, note: "as RFC 3339" },
  ],
  spread: [],
  leftOut: {
    ...allFor(CREDENTIAL, ["password_digest", "password_hasher", "totp_secret", "backup_codes"]),
    ...allFor(onlyUsedBy("Clerk"), [
      "backup_code_enabled",
      "create_organization_enabled",
      "delete_self_enabled",
      "external_accounts",
      "has_image",
      "last_active_at",
      "locked",
      "lockout_expires_in_seconds",
      "mfa_disabled_at",
      "mfa_enabled_at",
      "object",
      "passkeys",
      "password_enabled",
      "saml_accounts",
      "totp_enabled",
      "two_factor_enabled",
      "updated_at",
      "verification_attempts_remaining",
    ]),
  },
};

/** The entry with the primary id, else the first one. */
function primary(list: unknown, id: unknown, member: string): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  const entries = list.filter(isObject);
  const entry = entries.find((candidate) => candidate.id === id) ?? entries[0];
  return firstText([entry?.[member]]);
}
