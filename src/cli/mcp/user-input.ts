import type { UserInput, UserPatch } from "../../client/index.ts";
import { isObject } from "../../contract/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Whether the client can send these fields. The service checks them completely. */
export function isUserInput(fields: Fields): fields is UserInput {
  return typeof fields.name === "string" && isUserPatch(fields);
}

export function isUserPatch(fields: Fields): fields is UserPatch {
  const { name, email, userName, active, scim } = fields;
  return (
    (name === undefined || typeof name === "string") &&
    (email === undefined || email === null || typeof email === "string") &&
    (userName === undefined || userName === null || typeof userName === "string") &&
    (scim === undefined || scim === null || isObject(scim)) &&
    (active === undefined || active === null || typeof active === "boolean")
  );
}
