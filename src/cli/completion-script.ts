import type { Flags } from "../config/config.ts";
import type { Flag } from "../config/flag.ts";
import { settings } from "../config/settings.ts";
import type { Commands } from "./command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** What a shell suggests for a value: fixed values, files, or nothing. */
type Suggestions = readonly string[] | "files" | "nothing";

interface Word {
  readonly word: string;
  readonly about: string;
}

interface Option extends Word {
  /** The letter of the short form. */
  readonly short?: string | undefined;
  /** Undefined for a switch, which takes no value. */
  readonly value: Suggestions | undefined;
}

/** What can follow the words of a command, such as `keys create`. */
interface CompletionPoint {
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Option[];
  /** Suggestions for the positional argument. */
  readonly argument: Suggestions;
}

/** A completion script with all commands, options and fixed values. It runs no program. */
export async function completionScript(shell: Shell, commands: Commands): Promise<string> {
  // `serve` is the default command, so its options need no command.
  const points = [
    createPoint("", commands, settings),
    ...(await listPoints("", commands)),
    ...listHelpPoints("help", commands),
  ];
  switch (shell) {
    case "bash":
      return bash(points);
    case "zsh":
      return zsh(points);
    case "fish":
      return fish(points);
  }
}

async function listPoints(before: string, commands: Commands): Promise<CompletionPoint[]> {
  const entries = Object.entries(commands).filter(([name]) => before !== "" || name !== "help");
  const points = entries.map(async ([name, { commands: subcommands = {}, load }]) => {
    const path = before === "" ? name : `${before} ${name}`;
    const { flags = {} } = await load();
    return [createPoint(path, subcommands, flags), ...(await listPoints(path, subcommands))];
  });
  return (await Promise.all(points)).flat();
}

/** `roster help` takes the words of a command. */
function listHelpPoints(path: string, commands: Commands): CompletionPoint[] {
  const groups = Object.entries(commands).flatMap(([name, { commands: subcommands }]) =>
    subcommands ? listHelpPoints(`${path} ${name}`, subcommands) : [],
  );
  return [createPoint(path, commands, {}), ...groups];
}

function createPoint(path: string, commands: Commands, flags: Flags): CompletionPoint {
  const named = Object.values(flags).flatMap((flag): Option[] => {
    if (flag.flag === undefined || isPositional(flag)) return [];
    const value = flag.form === "switch" ? undefined : suggestionsFor(flag);
    return [{ word: `--${flag.flag}`, short: flag.short, about: firstSentence(flag.about), value }];
  });
  const help = { word: "--help", about: "Show help.", value: undefined };
  const suggestions = Object.values(flags).filter(isPositional).map(suggestionsFor);
  return {
    path,
    commands: Object.entries(commands).map(([word, { about }]) => ({ word, about: firstSentence(about) })),
    options: [...named, help],
    argument: suggestions.find((suggestion) => suggestion !== "nothing") ?? "nothing",
  };
}

function isPositional({ form }: Flag<unknown>): boolean {
  return form === "word" || form === "words";
}

/** Detects file arguments by the words of `takes`. */
function suggestionsFor({ choices, takes }: Flag<unknown>): Suggestions {
  return choices ?? (/\b(file|path|folder)\b/.test(takes) ? "files" : "nothing");
}

/** Shells show the description on one line. */
function firstSentence(text: string): string {
  return text.replace(/\.\s.*$/s, ".").replaceAll("`", "");
}

/** Shell code for bash and zsh: drops the last word until the words are a known command. */
const FIND_COMMAND = `  while :; do
    case "$place" in
CASES
    esac
    [ -n "$known" ] && break
    case "$place" in *" "*) place="\${place% *}" ;; *) place="" ;; esac
  done`;

function bash(points: readonly CompletionPoint[]): string {
  const list = (words: readonly string[]) => quoted(words.join(" "));
  const named = (words: readonly Word[]) => words.map(({ word }) => word);
  const cases = points.map(({ path, commands, options, argument }) => {
    const fixed = typeof argument === "string" ? [] : argument;
    const words = list([...fixed, ...named(commands)]);
    const files = argument === "files" ? " files=1" : "";
    return `      ${quoted(path)}) known=1 words=${words} options=${list(named(options))}${files} ;;`;
  });
  return `# bash completion for roster
_roster() {
  # Split the line here: bash also splits words at = and :.
  local line="\${COMP_LINE:0:COMP_POINT}" place="" known="" words="" options="" files="" option="" value="" prefix="" word
  local current="\${line##*[[:space:]]}" before
  read -ra before <<< "\${line%"$current"}"
  for word in "\${before[@]:1}"; do
    case "$word" in -*) option="$word" ;; *) option="" place="\${place:+$place }$word" ;; esac
  done
  case "$current" in --*=*) option="\${current%%=*}" current="\${current#*=}" prefix="$option=" ;; esac
  case "$COMP_WORDBREAKS" in *=*) prefix="" ;; esac
${FIND_COMMAND.replace("CASES", cases.join("\n"))}
  case "$place $option" in
${valueCases(points, (suggestions) => (typeof suggestions === "string" ? `value=${suggestions}` : `value=these words=${list(suggestions)}`))}
  esac
  COMPREPLY=()
  # Suggest options after a dash, or if there is nothing else.
  case "$value$current" in -*) words="$options" ;; "") [ -n "$words$files" ] || words="$options" ;; esac
  case "$value" in
    nothing) return ;;
    files) files=1 ;;
    *) COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current")) ;;
  esac
  # bash replaces only the text after the last :.
  case "$COMP_WORDBREAKS$current" in
    *:*:*) COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}") ;;
  esac
  [ -n "$files" ] && [ \${#COMPREPLY[@]} -eq 0 ] && compopt -o default
  return 0
}
complete -F _roster roster
`;
}

function zsh(points: readonly CompletionPoint[]): string {
  const described = (words: readonly Word[]) =>
    words.map(({ word, about }) => quoted(`${word.replaceAll(":", "\\:")}:${about}`)).join(" ");
  const cases = points.map(({ path, commands, options, argument }) => {
    const fixed = typeof argument === "string" ? "" : ` fixed=(${argument.map(quoted).join(" ")})`;
    const files = argument === "files" ? " files=1" : "";
    return `      ${quoted(path)}) known=1 names=(${described(commands)}) options=(${described(options)})${fixed}${files} ;;`;
  });
  return `#compdef roster
_roster() {
  local -a names options fixed
  local place="" known="" files="" option="" found=1 word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) option="$word" ;; *) option="" place="\${place:+$place }$word" ;; esac
  done
  if [[ "$PREFIX" == --*=* ]]; then
    option="\${PREFIX%%=*}"
    compset -P 1 '*='
  fi
${FIND_COMMAND.replace("CASES", cases.join("\n"))}
  case "$place $option" in
${valueCases(points, (suggestions) => {
  if (suggestions === "files") return "_files; return";
  return suggestions === "nothing" ? "return 1" : `compadd -- ${suggestions.map(quoted).join(" ")}; return`;
})}
  esac
  (( $#names )) && _describe -t commands command names && found=0
  (( $#fixed )) && compadd -a fixed && found=0
  [[ -n "$files" ]] && _files && found=0
  _describe -o -t options option options && found=0
  return found
}
if [[ "$funcstack[1]" == "_roster" ]]; then _roster "$@"; else compdef _roster roster; fi
`;
}

/** Shell code for bash and zsh: what to suggest after an option that takes a value. */
function valueCases(
  points: readonly CompletionPoint[],
  toCode: (suggestions: Suggestions) => string,
): string {
  const cases = points.flatMap(({ path, options }) =>
    options.flatMap(({ word, short, value }) => {
      if (!value) return [];
      const names = short === undefined ? [word] : [word, `-${short}`];
      return names.map((name) => [quoted(`${path} ${name}`), toCode(value)] as const);
    }),
  );
  // One case per action.
  const byAction = Map.groupBy(cases, ([, action]) => action);
  return [...byAction]
    .map(([action, group]) => `    ${group.map(([pattern]) => pattern).join(" | ")}) ${action} ;;`)
    .join("\n");
}

function fish(points: readonly CompletionPoint[]): string {
  const lines = points.flatMap(({ path, commands, options, argument }) => {
    const here = (condition: string) =>
      `complete -c roster -n ${quoted(`__roster_${condition} ${path}`.trim())}`;
    const isGroup = commands.length > 0 && path !== "";
    return [
      ...commands.map(({ word, about }) => `${here("at")} -a ${word} -d ${quoted(about)}`),
      ...(argument === "files" ? [`${here("in")} -F`] : []),
      ...(typeof argument === "string" ? [] : [`${here("at")} -a ${quoted(argument.join(" "))}`]),
      ...options.map(({ word, short, about, value }) => {
        const where = path === "" ? here("no_command") : here(isGroup ? "at" : "in");
        const letter = short === undefined ? "" : ` -s ${short}`;
        return `${where}${letter} -l ${word.slice(2)}${fishValue(value)} -d ${quoted(about)}`;
      }),
    ];
  });
  const names = points.filter(({ path }) => path !== "" && !path.includes(" ")).map(({ path }) => path);
  return `# fish completion for roster
function __roster_words
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or echo $word
  end
end
function __roster_at
  set -l words (__roster_words)
  test "$words" = "$argv"
end
function __roster_in
  set -l words (__roster_words)
  test "$words" = "$argv"; or string match -q -- "$argv *" "$words"
end
function __roster_no_command
  not contains -- "$(__roster_words)[1]" ${names.join(" ")}
end
complete -c roster -f
${lines.join("\n")}
`;
}

function fishValue(value: Suggestions | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return ` -x -a ${quoted(value.join(" "))}`;
  return value === "files" ? " -r -F" : " -x";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
