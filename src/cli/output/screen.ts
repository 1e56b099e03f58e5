import type { Screen } from "../command.ts";
import { escapeForTerminal } from "./printable.ts";

/** The only access to stdout and stderr: everything that goes to a terminal is escaped here. Pipes get the exact bytes. */
function openScreen(stream: NodeJS.WriteStream): Screen {
  const decoder = new TextDecoder();
  let carriageReturn = "";
  const escapeNext = (text: string | Uint8Array): string => {
    // \r may be half of a line break: it waits for the next text.
    const next = carriageReturn + (typeof text === "string" ? text : decoder.decode(text, { stream: true }));
    carriageReturn = next.endsWith("\r") ? "\r" : "";
    return escapeForTerminal(next.slice(0, next.length - carriageReturn.length));
  };
  return {
    write: (text) => stream.write(stream.isTTY ? escapeNext(text) : text),
    rewriteLine: (text) => {
      stream.write(`\r${escapeForTerminal(text)}\u001b[K`);
    },
    drained: () => new Promise((resolve) => stream.once("drain", resolve)),
    isTTY: Boolean(stream.isTTY),
    get columns() {
      return stream.columns;
    },
    hasColors: () => stream.hasColors(),
  };
}

export const stdout: Screen = openScreen(process.stdout);
export const stderr: Screen = openScreen(process.stderr);

export function onStdoutError(listener: (error: Error) => void): void {
  process.stdout.on("error", listener);
}
