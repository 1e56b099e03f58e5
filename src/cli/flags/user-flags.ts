import type { CustomFields, UserInput, UserPatch } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { parseId } from "../parse-id.ts";
import { userKind } from "../records/record-kind.ts";
import { membersOfFlag } from "./group-flags.ts";
import { readName, requireName, searchFlags } from "./record-flags.ts";

export const idFlag = {
  flag: "id",
  form: "word",
  takes: "the id of a user, such as 7. To find it: `roster users find EMAIL`",
  about: "The id of the user.",
  parse: parseId,
} as const satisfies Flag<number>;

export const idsFlag = {
  ...idFlag,
  form: "words",
  takes: "the ids of users, such as 7 8 9. To find an id: `roster users find EMAIL`",
  about: "The ids of the users.",
  default: "",
  parse: (text: string) => (text === "" ? [] : [...new Set(text.split("\u0000").map(parseId))]),
} as const satisfies Flag<number[]>;

/** Ids among other words. Throws a `ConfigError`. */
export function parseIds(words: readonly string[]): number[] {
  try {
    return [...new Set(words.map(parseId))];
  } catch {
    throw new ConfigError(`ID=${words.join(" ")} is invalid. Use ${idsFlag.takes}.`);
  }
}

/** Flags that select users. */
export const userSearchFlags = { ...searchFlags(userKind), group: membersOfFlag } as const;

/** A complete user. The service checks the rest. Throws a `ConfigError`. */
export function toUserInput(fields: CustomFields): UserInput {
  return requireName(userKind, toUserPatch(fields));
}

/** A change of a user: omitted fields stay. */
export function toUserPatch(fields: CustomFields): UserPatch {
  const { name: _name, email, ...customFields } = fields;
  const patch: UserPatch = { ...customFields, ...readName(fields) };
  if (typeof email === "string" || email === null) patch.email = email;
  else if (email !== undefined) throw new ConfigError("Email must be text, or null for none.");
  return patch;
}
