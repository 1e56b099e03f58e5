import type { Environment, Flags } from "../config.ts";

/** Where a command writes, and whether somebody watches. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** What a command finds around it. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: Screen;
  readonly stderr: Screen;
}

export interface Command {
  /** How it is called. */
  readonly usage: string;
  /** What it does, in one line. */
  readonly about: string;
  /** All that `--help` shows below these two. */
  readonly help: string;
  /** Fails with a `ConfigError` when it cannot be meant so, with a `StoreError` or a `ListenError` when it cannot be done. */
  run(args: readonly string[], around: Surroundings): Promise<void>;
}

/** A table of flags, as `--help` shows it. */
export function describeFlags(flags: Flags): string {
  const lines = Object.values(flags).map(({ flag, env, default: standard, about }) => {
    const origin = [flag && env, standard ? `default ${standard}` : ""].filter(Boolean).join(", ");
    return `  ${(flag ? `--${flag}` : (env ?? "")).padEnd(18)} ${about}\n${origin && `${" ".repeat(21)}${origin}\n`}`;
  });
  return `${lines.join("")}  --help             Show this.\n`;
}
