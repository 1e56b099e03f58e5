import type { Environment, Flags } from "../config/config.ts";

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
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: Screen;
  readonly stderr: Screen;
}

/** A command in the table of commands. */
export interface CommandEntry {
  readonly usage: string;
  /** A description of one line. */
  readonly about: string;
  /** The heading above the command in `roster --help`. */
  readonly section?: string;
  readonly commands?: Commands;
  /** Loads the command and its dependencies. Only the requested command is loaded, to start fast. */
  load(): Promise<Command>;
}

export type Commands = Readonly<Record<string, CommandEntry>>;

export interface Command {
  /** Paragraphs for the help, separated by empty lines. */
  readonly description?: string;
  readonly flags?: Flags;
  /** The flags in the help, if the command also takes those of `roster serve`. */
  readonly ownFlags?: Flags;
  readonly examples: readonly string[];
  /** Throws a `ConfigError` for invalid usage, and a `StoreError`, a `ListenError` or a `ProblemError` if it fails. */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}
