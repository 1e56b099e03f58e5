import { isEmpty, isObject, nameFrom, parseJsonText, toJson, toTime } from "../conversions.ts";
import { allFor, CREDENTIAL, onlyUsedBy, type Source } from "../source.ts";

const parts = nameFrom([[0], [1], [2, 3], [4], [5], [6]]);

/** Supabase: rows of auth.users as CSV or JSON, or users of the Auth Admin API. */
export const supabase: Source = {
  title: "Supabase",
  formats: ["csv", "json"],
  collection: "users",
  id: "supabaseId",
  expected: ["id"],
  rules: [
    {
      to: "name",
      from: ["raw_user_meta_data", "user_metadata", "email", "phone", "id"],
      read: ([raw, metadata, email, phone, id]) => {
        const value = parseJsonText(raw ?? metadata);
        const data = isObject(value) ? value : {};
        const { full_name, name, first_name, last_name } = data;
        return parts([full_name, name, first_name, last_name, email, phone, id]);
      },
      note: "full_name, name, or first_name and last_name in the metadata, else the email",
    },
    { to: "email", from: ["email"] },
    {
      to: "active",
      from: ["banned_until"],
      read: (values) => isActive(toTime(values)),
      note: "false while banned",
    },
    { to: "supabaseId", from: ["id"] },
    { to: "phoneNumber", from: ["phone"] },
    {
      to: "emailVerified",
      from: ["email_confirmed_at", "email", "app_metadata"],
      read: isConfirmed,
      note: "false if there is an email without this time",
    },
    {
      to: "phoneVerified",
      from: ["phone_confirmed_at", "phone", "app_metadata"],
      read: isConfirmed,
      note: "false if there is a phone without this time",
    },
    { to: "userMetadata", from: ["raw_user_meta_data", "user_metadata"], read: firstJson },
    { to: "appMetadata", from: ["raw_app_meta_data", "app_metadata"], read: firstJson },
    { to: "originalCreatedAt", from: ["created_at"], read: toTime, note: "as RFC 3339" },
    { to: "lastSignInAt", from: ["last_sign_in_at"], read: toTime, note: "as RFC 3339" },
  ],
  spread: [],
  leftOut: {
    ...allFor(CREDENTIAL, [
      "confirmation_token",
      "email_change_token_current",
      "email_change_token_new",
      "encrypted_password",
      "phone_change_token",
      "reauthentication_token",
      "recovery_token",
    ]),
    ...allFor(onlyUsedBy("Supabase"), [
      "aud",
      "confirmation_sent_at",
      "confirmed_at",
      "email_change",
      "email_change_confirm_status",
      "email_change_sent_at",
      "factors",
      "identities",
      "instance_id",
      "invited_at",
      "is_anonymous",
      "is_sso_user",
      "is_super_admin",
      "phone_change",
      "phone_change_sent_at",
      "reauthentication_sent_at",
      "recovery_sent_at",
      "role",
      "updated_at",
    ]),
  },
  skip: ({ deleted_at }) => (deleted_at ? "deleted users" : undefined),
};

/** The Admin API, which has `app_metadata`, omits the time if it is null. A table without this column says nothing. */
function isConfirmed([time, address, admin]: readonly unknown[]): boolean | undefined {
  const isUnknown = isEmpty(address) || (time === undefined && admin === undefined);
  return isUnknown ? undefined : !isEmpty(time);
}

function isActive(bannedUntil: string | undefined): boolean | undefined {
  return bannedUntil === undefined ? undefined : Date.parse(bannedUntil) < Date.now();
}

function firstJson(values: readonly unknown[]) {
  return toJson([values.find((value) => value !== undefined && value !== null && value !== "")]);
}
