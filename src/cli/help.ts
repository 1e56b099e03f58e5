import { type Flags, flagName } from "../config/config.ts";
import type { Flag } from "../config/flag.ts";
import type { CommandEntry, Commands, Screen } from "./command.ts";
import { paint } from "./output/colour.ts";
import { wrapText } from "./output/table.ts";

/** The width and the headings of help. */
export interface HelpLayout {
  readonly columns: number;
  heading(text: string): string;
}

type Terms = readonly (readonly [term: string, description: string])[];

/** Longer lines are hard to read. */
const MAX_COLUMNS = 100;
/** Longer terms get a line of their own. */
const MAX_TERM = 26;
/** With less room for descriptions, every term gets a line of its own. */
const MIN_DESCRIPTION = 24;

/** For pipes and pages. */
export const plainLayout: HelpLayout = { columns: 80, heading: (text) => text };

export function layoutFor(screen: Screen): HelpLayout {
  if (!screen.isTTY) return plainLayout;
  return {
    columns: Math.min(MAX_COLUMNS, screen.columns || plainLayout.columns),
    heading: (text) => paint(screen, "bold", text),
  };
}

/** The help of a command. */
export async function describeCommand(
  { usage, about, commands, load }: CommandEntry,
  layout: HelpLayout,
): Promise<string> {
  const { description, flags = {}, ownFlags, examples } = await load();
  const options = ownFlags ? "Options, in addition to those of roster serve" : "Options";
  return [
    `${usage}\n`,
    wrapText(about, layout.columns),
    ...(commands ? [section("Commands", describeCommands(commands, layout), layout)] : []),
    ...(description?.split("\n\n") ?? []).map((paragraph) => wrapParagraph(paragraph, layout)),
    ...(commands ? [] : [section(options, describeFlags(ownFlags ?? flags, layout), layout)]),
    section("Examples", examples.map((example) => `  ${example}\n`).join(""), layout),
  ].join("\n");
}

/** The help without a command: all commands by section. */
export function describeAll(title: string, commands: Commands, layout: HelpLayout): string {
  const bySection = Map.groupBy(Object.entries(commands), ([, entry]) => entry.section ?? "More");
  const usage: Terms = [
    ["roster", "Run the service. The same as roster serve."],
    ["roster COMMAND", "Run a command."],
  ];
  const options: Terms = [
    ["-h, --help", "Show help."],
    ["-v, --version", "Show the version."],
  ];
  const sections: [string, Terms][] = [
    ["Usage", usage],
    ...[...bySection].map(([name, entries]): [string, Terms] => [
      name,
      entries.map(([word, { about }]) => [word, about]),
    ]),
    ["Options", options],
  ];
  const widest = Math.max(...sections.flatMap(([, terms]) => terms.map(([term]) => term.length)));
  return [
    wrapText(title, layout.columns),
    ...sections.map(([name, terms]) => section(name, formatTerms(terms, layout, widest), layout)),
    wrapText(
      "For the options of a command: roster\u00a0help\u00a0COMMAND. For the settings of the service: roster\u00a0help\u00a0serve.",
      layout.columns,
    ),
  ].join("\n");
}

function section(title: string, text: string, { heading }: HelpLayout): string {
  return `${heading(`${title}:`)}\n${text}`;
}

function wrapParagraph(paragraph: string, { columns }: HelpLayout): string {
  return wrapText(paragraph.replaceAll("\n", " "), columns);
}

/** The commands of a group with their positional arguments. */
function describeCommands(commands: Commands, layout: HelpLayout): string {
  const terms = Object.entries(commands).map(([word, { usage, about }]): [string, string] => {
    const [positional = ""] = usage.slice(usage.indexOf(` ${word}`) + 1).split(/ \[options\]| --/);
    return [positional, about];
  });
  return formatTerms(terms, layout);
}

function describeFlags(flags: Flags, layout: HelpLayout): string {
  const terms = Object.values(flags).map((flag): [string, string] => [termFor(flag), describeFlag(flag)]);
  return formatTerms([...terms, ["-h, --help", "Show this help."]], layout);
}

/** The ways to write a flag. */
function termFor(flag: Flag<unknown>): string {
  if (flag.form === "named-word") return `${flag.flag?.toUpperCase()}, ${flagName(flag)}`;
  return flag.short === undefined ? flagName(flag) : `-${flag.short}, ${flagName(flag)}`;
}

function describeFlag({ flag, env, default: defaultText, about }: Flag<unknown>): string {
  const origin = [flag && env, defaultText ? `default\u00a0${defaultText}` : ""].filter(Boolean).join(", ");
  return origin === "" ? about : `${about} (${origin})`;
}

/** Terms with descriptions beside them, or below them on a narrow terminal. */
function formatTerms(terms: Terms, { columns }: HelpLayout, widest = widestTerm(terms)): string {
  const beside = 4 + widest;
  const indent = columns - beside < MIN_DESCRIPTION ? 6 : beside;
  return terms
    .map(([term, description]) => {
      const lines = wrapText(description, columns - indent).replaceAll(/^(?=.)/gm, " ".repeat(indent));
      const start = `  ${term}`;
      return start.length + 2 > indent ? `${start}\n${lines}` : start + lines.slice(start.length);
    })
    .join("");
}

function widestTerm(terms: Terms): number {
  return Math.max(0, ...terms.map(([term]) => term.length).filter((length) => length <= MAX_TERM));
}
