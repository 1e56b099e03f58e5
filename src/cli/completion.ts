import { settings } from "../settings.ts";
import type { Command, Commands } from "./command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

interface Word {
  readonly word: string;
  readonly about: string;
}

/** What can follow some words of a command: `keys create`, say. */
interface Place {
  readonly path: string;
  readonly words: readonly Word[];
}

/** A script that knows every command and every option, and asks nobody when it is used. */
export function completionScript(shell: Shell, commands: Commands): string {
  const places = [
    { path: "", words: [...namesOf(commands), ...flagsOf({ flags: settings })] },
    ...placesOf("", commands),
  ];
  switch (shell) {
    case "bash":
      return bash(places);
    case "zsh":
      return zsh(places);
    case "fish":
      return fish(places);
  }
}

function placesOf(before: string, commands: Commands): Place[] {
  return Object.entries(commands).flatMap(([name, command]) => {
    const path = before === "" ? name : `${before} ${name}`;
    const words = [...namesOf(command.commands ?? {}), ...flagsOf(command)];
    return [{ path, words }, ...placesOf(path, command.commands ?? {})];
  });
}

function namesOf(commands: Commands): Word[] {
  return Object.entries(commands).map(([word, { about }]) => ({ word, about }));
}

function flagsOf({ flags = {} }: Pick<Command, "flags">): Word[] {
  const given = Object.values(flags).flatMap(({ flag, form, about }) =>
    flag === undefined || form === "word" || form === "words" ? [] : [{ word: `--${flag}`, about }],
  );
  return [...given, { word: "--help", about: "Show what it does." }];
}

/** The words before the cursor, without options, are the place. */
function bash(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words }) => `    "${path}") words="${words.map(({ word }) => word).join(" ")}" ;;`,
  );
  return `# bash completion for roster
_roster() {
  local path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
${cases.map((line) => `  ${line}`).join("\n")}
    esac
    [ -n "$words" ] && break
    case "$path" in *" "*) path="\${path% *}" ;; *) path="" ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -eq 0 ] && compopt -o default
}
complete -F _roster roster
`;
}

function zsh(places: readonly Place[]): string {
  const cases = places.map(({ path, words }) => {
    const list = words.map(({ word, about }) => quoted(`${word}:${about}`));
    return `      ${quoted(path)}) found=(${list.join(" ")}) ;;`;
  });
  return `#compdef roster
_roster() {
  local -a found
  local place="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -* ]] || place="\${place:+$place }$word"
  done
  while true; do
    case "$place" in
${cases.join("\n")}
    esac
    (( $#found )) && break
    if [[ "$place" == *" "* ]]; then place="\${place% *}"; else place=""; fi
  done
  _describe -o roster found || _files
}
if [[ "$funcstack[1]" == "_roster" ]]; then _roster "$@"; else compdef _roster roster; fi
`;
}

/** Where a command has others below it, only the bare words before them are its place; else what follows is its own. */
function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) => {
    const isGroup = words.some(({ word }) => !word.startsWith("-"));
    const place = quoted(`__roster_${isGroup ? "at" : "in"} ${path}`);
    return words.map(({ word, about }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c roster -n ${place} ${what} -d ${quoted(about)}`;
    });
  });
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
${lines.join("\n")}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
