import { ConfigError, hideSecrets } from "../config/config.ts";
import { closestMatch } from "./closest-match.ts";
import type { CommandEntry, Commands } from "./command.ts";
import { shellQuote } from "./output/shell-quote.ts";

/** Words of other command lines, with our commands for them: the first one that exists in the same group. */
const otherWords: ReadonlyMap<string, readonly string[]> = new Map([
  ["ls", ["list"]],
  ["show", ["get", "list"]],
  ["add", ["create"]],
  ["new", ["create"]],
  ["set", ["update"]],
  ["rm", ["delete", "revoke"]],
  ["remove", ["delete", "revoke"]],
]);

/** The command that the first words name, and the words after it. Throws a `ConfigError` for an unknown command. */
export function findCommand(
  commands: Commands,
  words: readonly string[],
): { entry: CommandEntry | undefined; rest: readonly string[] } {
  let table: Commands | undefined = commands;
  let entry: CommandEntry | undefined;
  let path = "";
  let rest = words;
  while (table) {
    const [word] = rest;
    if (word === undefined || word.startsWith("-")) break;
    entry = Object.hasOwn(table, word) ? table[word] : undefined;
    if (!entry) {
      const suggestion = suggestCommand(table, path, word, rest.slice(1));
      const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
      throw new ConfigError(`Unknown command ${path}${hideSecrets(word)}.${hint} See roster ${path}--help.`);
    }
    rest = rest.slice(1);
    path += `${word} `;
    table = entry.commands;
  }
  return { entry, rest };
}

/** The command that a person probably means by an unknown word in a group, whose path ends with a space. */
function suggestCommand(
  table: Commands,
  path: string,
  word: string,
  rest: readonly string[],
): string | undefined {
  if (word === "search" && "users list".startsWith(path)) {
    const [firstFlag = rest.length] = rest.flatMap((arg, index) => (arg.startsWith("-") ? [index] : []));
    const words = hideSecrets(rest.slice(0, firstFlag).join(" ")) || "WORDS";
    return `roster users list --q ${shellQuote(words)}`;
  }
  const other = otherWords.get(word)?.find((name) => Object.hasOwn(table, name));
  const name = other ?? closestMatch(word, Object.keys(table));
  return name === undefined ? undefined : `${path}${name}`;
}
