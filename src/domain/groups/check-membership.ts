import { groupLimits } from "../../contract/groups/group.ts";
import { appendPointer, isObject, type Json } from "../../contract/json.ts";
import { INVALID_ID, isIdValue } from "../../contract/scalars.ts";
import { NAME_PATTERN, userLimits } from "../../contract/users/user.ts";
import { FieldErrors } from "../field-errors.ts";
import { foldEmail } from "../fold.ts";
import { parseJsonText } from "../json-text.ts";
import { countCharacters } from "../records/check-record.ts";

/** A group or a user as a line names it: the id, or the text with the key by which it is found. */
export type Reference = number | { readonly text: string; readonly key: string };

/** A line of an import of memberships. */
export interface NamedMembership {
  readonly group: Reference;
  readonly user: Reference;
}

const namePattern = new RegExp(NAME_PATTERN);

/** Parses and checks a line. Fails with `malformed-json`, or with `invalid-group` and every error. */
export function checkMembership(line: string): NamedMembership {
  const body = parseJsonText(line, "line", "invalid-group");
  const errors = new FieldErrors();
  if (!isObject(body)) errors.add("", "Send an object with group and user.");
  errors.throwIfAny("invalid-group");
  const { group, user, ...others } = isObject(body) ? body : {};
  for (const name of Object.keys(others)) {
    if (errors.full) break;
    errors.add(appendPointer("", name), "Unknown member. Use group and user.");
  }
  const membership = {
    group: checkReference(typeof group === "string" ? group.trim() : group, errors, referenceOf.group),
    user: checkReference(user, errors, referenceOf.user),
  };
  errors.throwIfAny("invalid-group");
  return membership;
}

const referenceOf = {
  group: {
    pointer: "/group",
    expected: "the id or the name of a group",
    maxCharacters: groupLimits.nameCharacters,
  },
  user: {
    pointer: "/user",
    expected: "the id, the user name or the email of a user",
    maxCharacters: userLimits.userNameCharacters,
  },
} as const;

function checkReference(
  value: Json | undefined,
  errors: FieldErrors,
  { pointer, expected, maxCharacters }: (typeof referenceOf)[keyof typeof referenceOf],
): Reference {
  if (isIdValue(value)) return value;
  if (typeof value === "number") errors.add(pointer, INVALID_ID);
  else if (typeof value !== "string" || value === "") errors.add(pointer, `Enter ${expected}.`);
  else if (!namePattern.test(value) || !value.isWellFormed()) {
    errors.add(pointer, "The text must not contain control characters or half of a surrogate pair.");
  } else if (countCharacters(value) > maxCharacters) {
    errors.add(pointer, `The text must not be longer than ${maxCharacters} characters.`);
  } else return { text: value, key: foldEmail(value) };
  return 0;
}
