import { ConfigError } from "../../config/config.ts";
import { foreignParameterNames } from "../../contract/listing.ts";
import { closestMatch } from "../closest-match.ts";
import { shorten, type ToolArguments } from "./arguments.ts";
import type { Tool } from "./tool.ts";

/** Names that assistants guess, besides those of other APIs, with the arguments that they mean: the first that the tool has. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  text: ["q"],
  where: ["filter"],
  sort_by: ["sort"],
  next: ["after"],
  max_results: ["limit"],
  group_by: ["by"],
  user_id: ["id", "user"],
  userId: ["id", "user"],
  id: ["user", "group"],
  user_ids: ["users"],
  userIds: ["users"],
  ids: ["users"],
  group_id: ["group"],
  groupId: ["group"],
  group_name: ["group"],
  groupName: ["group"],
  since: ["from"],
  until: ["to"],
  request_id: ["requestId"],
  patch: ["changes"],
};

/** The arguments under the names of the tool. Throws a `ConfigError` for an unknown name, and for an argument with two names. */
export function renameArguments(
  { name: tool, inputSchema }: Pick<Tool, "name" | "inputSchema">,
  args: ToolArguments,
): ToolArguments {
  const known = Object.keys(inputSchema.properties);
  const renamed: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(args)) {
    const name = known.includes(given) ? given : meantBy(given).find((meant) => known.includes(meant));
    if (name === undefined) {
      throw new ConfigError(
        `${tool} has no argument ${shorten(given)}.${didYouMean(given, known)} Its arguments are ${known.join(", ")}.`,
      );
    }
    if (Object.hasOwn(renamed, name)) {
      throw new ConfigError(
        `Several arguments mean ${name}: ${namesOf(name, args).join(", ")}. Pass only one.`,
      );
    }
    renamed[name] = value;
  }
  return renamed;
}

/** ` Did you mean …?` if one of the words is close. Short words are close to everything. */
export function didYouMean(word: string, words: readonly string[]): string {
  const match = word.length > 3 && word.length <= 64 ? closestMatch(word, words) : undefined;
  return match === undefined ? "" : ` Did you mean ${match}?`;
}

function meantBy(given: string): readonly string[] {
  if (Object.hasOwn(otherNames, given)) return otherNames[given] ?? [];
  const parameter = Object.hasOwn(foreignParameterNames, given) ? foreignParameterNames[given] : undefined;
  return parameter === undefined ? [] : [parameter];
}

function namesOf(name: string, args: ToolArguments): string[] {
  return Object.keys(args).filter((given) => given === name || meantBy(given).includes(name));
}
