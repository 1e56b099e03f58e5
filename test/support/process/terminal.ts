import { join } from "node:path";
import { root } from "../paths.ts";
import type { RosterOptions } from "./roster.ts";

const main = join(root, "src/cli/main.ts");
const ENDS_WITHIN = 30_000;

export interface TerminalOptions extends Pick<RosterOptions, "env" | "cwd"> {
  readonly columns?: number;
  /** What is typed when this has been shown, perhaps after something else. Each is typed once, in their order. */
  readonly typing?: readonly (readonly [shown: string, keys: string | (() => Promise<string>)])[];
}

export interface Shown {
  readonly code: number | null;
  /** All that was shown, with lines ended by \n alone. */
  readonly screen: string;
}

/** Runs the program on a pseudo-terminal, as a person does; without colours, unless the environment says otherwise. */
export function runOnTerminal(args: readonly string[], options: TerminalOptions = {}): Promise<Shown> {
  const env = { NO_COLOR: "1", ...options.env };
  return typeInto([process.execPath, main, ...args], { ...options, env });
}

/** The same for any program. */
export async function typeInto(command: readonly string[], options: TerminalOptions): Promise<Shown> {
  const { env = {}, cwd, columns = 80, typing = [] } = options;
  const decoder = new TextDecoder();
  const left = [...typing];
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
        for (let next = left[0]; next; next = left[0]) {
          const [shown, keys] = next;
          const at = text.indexOf(shown, seen);
          if (at < 0) break;
          seen = at + shown.length;
          left.shift();
          if (typeof keys === "string") terminal.write(keys);
          else keys().then((late) => terminal.write(late));
        }
      },
      exit: () => closed.resolve(),
    },
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN);
  const code = await child.exited;
  clearTimeout(timer);
  // What it wrote last may come after its end.
  await Promise.race([closed.promise, Bun.sleep(2000)]);
  child.terminal?.close();
  return { code: child.signalCode === null ? code : null, screen: text.replaceAll("\r\n", "\n") };
}
