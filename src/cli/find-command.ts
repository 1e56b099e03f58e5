import { ConfigError, hideSecrets } from "../config/config.ts";
import { closestMatch } from "./closest-match.ts";
import type { CommandEntry, Commands } from "./command.ts";

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
      const suggestion = closestMatch(word, Object.keys(table));
      const hint = suggestion === undefined ? "" : ` Did you mean ${path}${suggestion}?`;
      throw new ConfigError(`Unknown command ${path}${hideSecrets(word)}.${hint} See roster ${path}--help.`);
    }
    rest = rest.slice(1);
    path += `${word} `;
    table = entry.commands;
  }
  return { entry, rest };
}
