import { type Environment, type Flags, flagName } from "../config/config.ts";
import { wrapText } from "./output/table.ts";

/** stdout or stderr. On a terminal, `output/screen.ts` escapes control characters in everything that is written. */
export interface Screen {
  /** False if the reader is slow: wait for `drained`. */
  write(text: string | Uint8Array): boolean;
  drained(): Promise<void>;
  /** Replaces the current line of a terminal. */
  rewriteLine(text: string): void;
  readonly isTTY: boolean;
  readonly columns?: number | undefined;
  /** False if NO_COLOR is set. Only on a terminal. */
  hasColors(): boolean;
}

/** The environment and streams of a command. */
export interface CommandContext {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: Screen;
  readonly stderr: Screen;
}

/** A command in the table of commands. */
export interface CommandEntry {
  readonly usage: string;
  /** A description of one line. */
  readonly about: string;
  readonly commands?: Commands;
  /** Loads the command and its dependencies. Only the requested command is loaded, to start fast. */
  load(): Promise<Command>;
}

export type Commands = Readonly<Record<string, CommandEntry>>;

export interface Command {
  /** The part of `--help` after `usage` and `about`. */
  readonly help: string;
  readonly flags?: Flags;
  /** Throws a `ConfigError` for invalid usage, and a `StoreError`, a `ListenError` or a `ProblemError` if it fails. */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

const HELP_COLUMNS = 80;
const ABOUT_INDENT = 21;

/** The output of `--help` for a command. */
export async function describeCommand({ usage, about, load }: CommandEntry): Promise<string> {
  const { help } = await load();
  return wrapParagraphs(`${usage}\n\n${about}\n\n${help}`);
}

/** Wraps paragraphs for a terminal of standard width. Indented lines stay the same. */
function wrapParagraphs(text: string): string {
  return text.replaceAll(/^\S.*(?:\n\S.*)*\n/gm, (paragraph) =>
    wrapText(paragraph.trimEnd().replaceAll("\n", " "), HELP_COLUMNS),
  );
}

/** A list of commands for `--help`. */
export function describeCommands(commands: Commands): string {
  return Object.values(commands)
    .map(({ usage, about }) => `  ${usage}\n      ${about}\n`)
    .join("");
}

/** A table of flags for `--help`. */
export function describeFlags(flags: Flags): string {
  const lines = Object.values(flags).map((flag) => {
    const { env, default: defaultText, about } = flag;
    const origin = [flag.flag && env, defaultText ? `default ${defaultText}` : ""].filter(Boolean).join(", ");
    const description = wrapText(about, HELP_COLUMNS - ABOUT_INDENT) + (origin && `${origin}\n`);
    return `  ${flagName(flag).padEnd(ABOUT_INDENT - 3)} ${description.replaceAll(/\n(?=.)/g, `\n${" ".repeat(ABOUT_INDENT)}`)}`;
  });
  return `${lines.join("")}  --help             Show this help.\n`;
}
