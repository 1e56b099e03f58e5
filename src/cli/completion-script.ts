import type { Flags } from "../config/config.ts";
import type { Flag } from "../config/flag.ts";
import { settings } from "../config/settings.ts";
import type { Commands } from "./command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** What a shell can offer where a value is due: one of a few, a file, or nothing that it knows. */
type Offer = readonly string[] | "files" | "nothing";

interface Word {
  readonly word: string;
  readonly about: string;
}

interface Option extends Word {
  /** Undefined for a switch, which takes none. */
  readonly value: Offer | undefined;
}

/** What can follow some words of a command: `keys create`, say. */
interface Place {
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Option[];
  /** What is written by its place and not by a name. */
  readonly argument: Offer;
}

/** A script that knows every command, every option and the values that are few, and asks nobody when it is used. */
export async function completionScript(shell: Shell, commands: Commands): Promise<string> {
  // Serving needs no command.
  const places = [placeOf("", commands, settings), ...(await placesOf("", commands))];
  switch (shell) {
    case "bash":
      return bash(places);
    case "zsh":
      return zsh(places);
    case "fish":
      return fish(places);
  }
}

async function placesOf(before: string, commands: Commands): Promise<Place[]> {
  const places = Object.entries(commands).map(async ([name, { commands: below = {}, load }]) => {
    const path = before === "" ? name : `${before} ${name}`;
    const { flags = {} } = await load();
    return [placeOf(path, below, flags), ...(await placesOf(path, below))];
  });
  return (await Promise.all(places)).flat();
}

function placeOf(path: string, commands: Commands, flags: Flags): Place {
  const named = Object.values(flags).flatMap((flag): Option[] => {
    if (flag.flag === undefined || isPlaced(flag)) return [];
    const value = flag.form === "switch" ? undefined : offerOf(flag);
    return [{ word: `--${flag.flag}`, about: firstSentence(flag.about), value }];
  });
  const help = { word: "--help", about: "Show what it does.", value: undefined };
  const offers = Object.values(flags).filter(isPlaced).map(offerOf);
  return {
    path,
    commands: Object.entries(commands).map(([word, { about }]) => ({ word, about: firstSentence(about) })),
    options: [...named, help],
    argument: offers.find((offer) => offer !== "nothing") ?? "nothing",
  };
}

function isPlaced({ form }: Flag<unknown>): boolean {
  return form === "word" || form === "words";
}

/** Whether a file is meant is said in words: every flag that takes one says so to people. */
function offerOf({ choices, takes }: Flag<unknown>): Offer {
  return choices ?? (/\b(file|path|folder)\b/.test(takes) ? "files" : "nothing");
}

/** There is one line for it, and half of that is taken. */
function firstSentence(text: string): string {
  return text.replace(/\.\s.*$/s, ".").replaceAll("`", "");
}

/** What bash and zsh do to find the place: without the last word, as often as it takes. */
const PLACE = `  while :; do
    case "$place" in
CASES
    esac
    [ -n "$known" ] && break
    case "$place" in *" "*) place="\${place% *}" ;; *) place="" ;; esac
  done`;

function bash(places: readonly Place[]): string {
  const list = (words: readonly string[]) => quoted(words.join(" "));
  const named = (words: readonly Word[]) => words.map(({ word }) => word);
  const cases = places.map(({ path, commands, options, argument }) => {
    const fixed = typeof argument === "string" ? [] : argument;
    const words = list([...fixed, ...named(commands)]);
    const files = argument === "files" ? " files=1" : "";
    return `      ${quoted(path)}) known=1 words=${words} options=${list(named(options))}${files} ;;`;
  });
  return `# bash completion for roster
_roster() {
  # Of the line itself: bash breaks its words at = and : too.
  local line="\${COMP_LINE:0:COMP_POINT}" place="" known="" words="" options="" files="" option="" value="" kept="" word
  local current="\${line##*[[:space:]]}" before
  read -ra before <<< "\${line%"$current"}"
  for word in "\${before[@]:1}"; do
    case "$word" in -*) option="$word" ;; *) option="" place="\${place:+$place }$word" ;; esac
  done
  case "$current" in --*=*) option="\${current%%=*}" current="\${current#*=}" kept="$option=" ;; esac
  case "$COMP_WORDBREAKS" in *=*) kept="" ;; esac
${PLACE.replace("CASES", cases.join("\n"))}
  case "$place $option" in
${valueCases(places, (offer) => (typeof offer === "string" ? `value=${offer}` : `value=these words=${list(offer)}`))}
  esac
  COMPREPLY=()
  # Options where one is begun, or where there is nothing else.
  case "$value$current" in -*) words="$options" ;; "") [ -n "$words$files" ] || words="$options" ;; esac
  case "$value" in
    nothing) return ;;
    files) files=1 ;;
    *) COMPREPLY=($(compgen -P "$kept" -W "$words" -- "$current")) ;;
  esac
  # What stands before the last : is not part of what bash replaces.
  case "$COMP_WORDBREAKS$current" in
    *:*:*) COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}") ;;
  esac
  [ -n "$files" ] && [ \${#COMPREPLY[@]} -eq 0 ] && compopt -o default
  return 0
}
complete -F _roster roster
`;
}

function zsh(places: readonly Place[]): string {
  const described = (words: readonly Word[]) =>
    words.map(({ word, about }) => quoted(`${word.replaceAll(":", "\\:")}:${about}`)).join(" ");
  const cases = places.map(({ path, commands, options, argument }) => {
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
${PLACE.replace("CASES", cases.join("\n"))}
  case "$place $option" in
${valueCases(places, (offer) => {
  if (offer === "files") return "_files; return";
  return offer === "nothing" ? "return 1" : `compadd -- ${offer.map(quoted).join(" ")}; return`;
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

/** What to do where an option stands that a value is to follow, for bash and zsh alike. */
function valueCases(places: readonly Place[], does: (offer: Offer) => string): string {
  const cases = places.flatMap(({ path, options }) =>
    options.flatMap(({ word, value }) => (value ? [[quoted(`${path} ${word}`), does(value)] as const] : [])),
  );
  // One line for all that are treated alike.
  const alike = Map.groupBy(cases, ([, action]) => action);
  return [...alike]
    .map(([action, those]) => `    ${those.map(([at]) => at).join(" | ")}) ${action} ;;`)
    .join("\n");
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, argument }) => {
    const here = (what: string) => `complete -c roster -n ${quoted(`__roster_${what} ${path}`.trim())}`;
    const isGroup = commands.length > 0 && path !== "";
    return [
      ...commands.map(({ word, about }) => `${here("at")} -a ${word} -d ${quoted(about)}`),
      ...(argument === "files" ? [`${here("in")} -F`] : []),
      ...(typeof argument === "string" ? [] : [`${here("at")} -a ${quoted(argument.join(" "))}`]),
      ...options.map(({ word, about, value }) => {
        const where = path === "" ? here("nowhere") : here(isGroup ? "at" : "in");
        return `${where} -l ${word.slice(2)}${fishValue(value)} -d ${quoted(about)}`;
      }),
    ];
  });
  const names = places.filter(({ path }) => path !== "" && !path.includes(" ")).map(({ path }) => path);
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
function __roster_nowhere
  not contains -- "$(__roster_words)[1]" ${names.join(" ")}
end
complete -c roster -f
${lines.join("\n")}
`;
}

function fishValue(value: Offer | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return ` -x -a ${quoted(value.join(" "))}`;
  return value === "files" ? " -r -F" : " -x";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
