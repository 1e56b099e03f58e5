import type { RosterOptions } from "./roster.ts";
import { rosterCommand } from "./roster-command.ts";

const RUN_TIMEOUT_MS = 60_000;

export interface TerminalOptions extends Pick<RosterOptions, "env" | "cwd"> {
  readonly columns?: number;
  readonly timeoutMs?: number;
  /** Keys to type once a text has been shown, in order. */
  readonly typing?: readonly (readonly [shown: string, keys: string | (() => Promise<string>)])[];
}

export interface TerminalResult {
  readonly code: number | null;
  /** Everything that was shown, with \n line endings. */
  readonly screen: string;
}

/** Runs Roster on a pseudo-terminal, as a person does. Without colours unless `env` asks for them. */
export function runOnTerminal(
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<TerminalResult> {
  const env = { NO_COLOR: "1", ...options.env };
  return runInTerminal([...rosterCommand, ...args], { ...options, env });
}

/** Runs any command on a pseudo-terminal. */
export async function runInTerminal(
  command: readonly string[],
  options: TerminalOptions,
): Promise<TerminalResult> {
  const { env = {}, cwd, columns = 80, typing = [], timeoutMs = RUN_TIMEOUT_MS } = options;
  const decoder = new TextDecoder();
  const pending = [...typing];
  const closed = Promise.withResolvers<void>();
  let text = "";
  let seen = 0;
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", ...env },
    ...(cwd !== undefined && { cwd }),
    terminal: {
      cols: columns,
      rows: 50,
      data(terminal, bytes) {
        text += decoder.decode(bytes, { stream: true });
        for (let next = pending[0]; next; next = pending[0]) {
          const [shown, keys] = next;
          const at = text.indexOf(shown, seen);
          if (at < 0) break;
          seen = at + shown.length;
          pending.shift();
          if (typeof keys === "string") terminal.write(keys);
          else keys().then((late) => terminal.write(late));
        }
      },
      exit: () => closed.resolve(),
    },
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const code = await child.exited;
  clearTimeout(timer);
  // The last output may arrive after the exit.
  await Promise.race([closed.promise, Bun.sleep(2000)]);
  child.terminal?.close();
  return { code: child.signalCode === null ? code : null, screen: text.replaceAll("\r\n", "\n") };
}
