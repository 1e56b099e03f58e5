import { type Environment, type Flags, flagName } from "../config/config.ts";
import { wrapText } from "./output/table.ts";

/** Where a command writes, and whether somebody watches. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** On a terminal: whether it shows any, and NO_COLOR does not say otherwise. */
  hasColors?(): boolean;
}

/** The environment and streams of a command. */
export interface CommandContext {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: Screen;
  readonly stderr: Screen;
}

/** What a table says of a command. */
export interface CommandEntry {
  /** How it is called. */
  readonly usage: string;
  /** What it does, in one line. */
  readonly about: string;
  /** Those that come after its name, if it is one of several words. */
  readonly commands?: Commands;
  /** The rest of it, with all that it takes to do it: loaded for those alone who call for it, or nothing would start fast. */
  load(): Promise<Command>;
}

export type Commands = Readonly<Record<string, CommandEntry>>;

export interface Command {
  /** All that `--help` shows below how it is called and what it does. */
  readonly help: string;
  /** What it can be told. */
  readonly flags?: Flags;
  /**
   * Fails with a `ConfigError` when it cannot be meant so, with a `StoreError`, a `ListenError` or a `ProblemError` when it
   * cannot be done.
   */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

/** What `--help` shows of a command. */
export async function describeCommand({ usage, about, load }: CommandEntry): Promise<string> {
  const { help } = await load();
  return `${usage}\n\n${about}\n\n${help}`;
}

/** Of each command, how it is called and what it does. */
export function describeCommands(commands: Commands): string {
  return Object.values(commands)
    .map(({ usage, about }) => `  ${usage}\n      ${about}\n`)
    .join("");
}

/** Where the words about a flag begin, and how wide they may be: help is at most 120 columns wide. */
const INDENT = 21;
const ABOUT = 99;

/** A table of flags, as `--help` shows it. */
export function describeFlags(flags: Flags): string {
  const lines = Object.values(flags).map((flag) => {
    const { env, default: standard, about } = flag;
    const origin = [flag.flag && env, standard ? `default ${standard}` : ""].filter(Boolean).join(", ");
    const below = wrapText(about, ABOUT) + (origin && `${origin}\n`);
    return `  ${flagName(flag).padEnd(INDENT - 3)} ${below.replaceAll(/\n(?=.)/g, `\n${" ".repeat(INDENT)}`)}`;
  });
  return `${lines.join("")}  --help             Show this.\n`;
}
