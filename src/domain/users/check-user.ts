import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { EMAIL_PATTERN, NAME_PATTERN, type UserRecord, userLimits } from "../../contract/users/user.ts";
import { managedFields } from "../../contract/users/user-fields.ts";
import { FieldErrors } from "../field-errors.ts";
import { ProblemError } from "../problem-error.ts";
import {
  addError,
  checkName,
  checkScim,
  countCharacters,
  isAbsent,
  RecordCheck,
} from "../records/check-record.ts";
import { isStandInName, STAND_IN_ERROR } from "./stand-in-name.ts";

const namePattern = new RegExp(NAME_PATTERN);
const emailPattern = new RegExp(EMAIL_PATTERN);
/** The pattern of the schema cannot express those beyond U+FFFF. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** The checks of users. They fail with `invalid-user`. */
export const userCheck = new RecordCheck<UserRecord>({
  invalid: "invalid-user",
  managed: managedFields,
  optional: ["email", "userName", "active", "scim"],
  forbidden: { groups: "A user has no field groups. Choose another name, such as groupNames." },
  checkWhole(fields, errors) {
    const record: UserRecord = { name: checkName(fields.name, userLimits.nameCharacters, errors) };
    const email = checkEmail(fields.email, errors);
    if (email !== undefined) record.email = email;
    checkOptional(fields, errors);
    return record;
  },
  startOf: ({ name, email }) => ({ name, ...(email !== undefined && { email }) }),
  checkPatch(patch, errors) {
    if (Object.hasOwn(patch, "name")) checkName(patch.name, userLimits.nameCharacters, errors);
    if (Object.hasOwn(patch, "email")) checkEmail(patch.email, errors);
    checkOptional(patch, errors);
  },
});

/** What replaces the fields of a restored user that another user may have now; null for none. */
export type RestoreChanges = Partial<Record<"email" | "userName", Json>>;

/**
 * Parses the body of a restore: the email and the user name that replace those of the user, or null for none. Fails with
 * `invalid-user`.
 */
export function checkRestore(body: unknown): RestoreChanges {
  const errors = new FieldErrors();
  if (!isObject(body)) {
    throw new ProblemError("invalid-user", "The request body must be a JSON object.", [
      { pointer: "", detail: "Send an object with an email or a userName, or no body." },
    ]);
  }
  const { email, userName, ...others } = body;
  for (const field of Object.keys(others)) {
    if (errors.full) break;
    addError(errors, [field], "A restore changes only the email and the userName. Remove this field.");
  }
  checkEmail(email, errors);
  checkUserName(userName, errors);
  errors.throwIfAny("invalid-user");
  return { ...(email !== undefined && { email }), ...(userName !== undefined && { userName }) };
}

function checkEmail(email: Json | undefined, errors: FieldErrors): string | undefined {
  if (email === undefined || email === null) return undefined;
  if (typeof email !== "string") return errors.add("/email", "The email must be a string, or null for none.");
  const error = findEmailError(email);
  return error === undefined ? email : errors.add("/email", error);
}

/** What is wrong with an email; undefined if it is valid. */
export function findEmailError(email: string): string | undefined {
  if (countCharacters(email) > userLimits.emailCharacters) {
    return `The email must not be longer than ${userLimits.emailCharacters} characters.`;
  }
  if (INVISIBLE.test(email)) return "The email must not contain invisible characters.";
  return emailPattern.test(email) ? undefined : "Enter a valid email address, like ada@example.com.";
}

function checkOptional({ userName, active, scim }: JsonObject, errors: FieldErrors): void {
  checkUserName(userName, errors);
  if (!isAbsent(active) && typeof active !== "boolean") {
    errors.add("/active", "Enter true or false, or null for true.");
  }
  checkScim(scim, errors);
}

/** What no user gets, but may have, is refused where the record changes: see `checkNewUserName`. */
function checkUserName(userName: Json | undefined, errors: FieldErrors): void {
  if (isAbsent(userName)) return;
  const error = findTextError(userName);
  if (error) errors.add("/userName", error);
}

/** What is wrong with a user name that a user gets; undefined if it is valid. */
export function findUserNameError(userName: Json): string | undefined {
  const error = findTextError(userName);
  if (error !== undefined || typeof userName !== "string") return error;
  return isStandInName(userName) ? STAND_IN_ERROR : undefined;
}

function findTextError(userName: Json): string | undefined {
  if (typeof userName !== "string") return "The user name must be a string, or null for none.";
  if (userName === "") return "The user name must have at least one character. Send null for none.";
  if (!namePattern.test(userName)) return "The user name must not contain control characters.";
  if (countCharacters(userName) > userLimits.userNameCharacters) {
    return `The user name must not be longer than ${userLimits.userNameCharacters} characters.`;
  }
  return undefined;
}
