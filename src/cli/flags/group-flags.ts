import type { Client } from "../../client/index.ts";
import type { Flag } from "../../config/flag.ts";
import { findGroupId, type GroupWord, parseGroup } from "../find-group.ts";

const takes = "the id of a group, such as 7, or its name. To find it: `roster groups list`";

export const groupFlag = {
  flag: "group",
  form: "word",
  takes,
  about: "The id of the group, or its name. Digits are an id.",
  parse: parseGroup,
} as const satisfies Flag<GroupWord>;

export const groupWordsFlag = {
  flag: "group",
  form: "words",
  takes,
  about: "The ids of the groups, or their names.",
  parse: (text: string) => splitGroups(text),
} as const satisfies Flag<readonly GroupWord[]>;

/** Selects the members of groups. */
export const membersOfFlag = {
  flag: "group",
  form: "repeated",
  default: "",
  takes,
  about:
    "Only members of this group: its id, or its name. Repeat it for the members of any of several groups.",
  parse: (text, source) => (source === "default" ? [] : splitGroups(text)),
} as const satisfies Flag<readonly GroupWord[]>;

/** A group that is not required. */
export const optionalGroupFlag = <const Name extends string>(flag: Name, about: string) =>
  ({
    flag,
    default: "",
    takes,
    about,
    parse: (text: string, source) => (source === "default" ? undefined : parseGroup(text)),
  }) as const satisfies Flag<GroupWord | undefined>;

/** The groups to select members of, as an option of the client. Throws a `GroupNameError`. */
export async function toMembership(
  client: Client,
  words: readonly GroupWord[],
): Promise<{ readonly group?: readonly number[] }> {
  const ids: number[] = [];
  for (const word of words) ids.push(await findGroupId(client, word));
  return ids.length === 0 ? {} : { group: ids };
}

function splitGroups(text: string): readonly GroupWord[] {
  return text.split("\u0000").map(parseGroup);
}
