import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { NAME_PATTERN, userLimits } from "../contract/users/user.ts";

/**
 * The name of a user without `displayName`: the formatted name, else the given and the family name, else the user name. In the
 * form that names are stored in.
 */
export function deriveName({ name, userName }: JsonObject): string {
  const { formatted, givenName, familyName } = isObject(name) ? name : {};
  return toName([formatted]) || toName([givenName, familyName]) || toName([userName]);
}

/** The texts as a name: without control characters and spaces around it, and not too long. */
function toName(texts: readonly (Json | undefined)[]): string {
  const text = texts.filter((part) => typeof part === "string").join(" ");
  const visible = valid.test(text) ? text : text.replace(/\p{Cc}+/gu, " ");
  const trimmed = visible.trim();
  const { nameCharacters } = userLimits;
  if (trimmed.length <= nameCharacters) return trimmed;
  return [...trimmed].slice(0, nameCharacters).join("").trim();
}

const valid = new RegExp(NAME_PATTERN);
