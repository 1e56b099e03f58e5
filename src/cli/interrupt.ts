import type { Screen } from "./command.ts";
import { fail } from "./fail.ts";

/** Ends the process with a message on SIGINT or SIGTERM. A function cleans up before, and returns the message. */
export function onInterrupt(stderr: Screen, message: string | (() => string)): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      if (stderr.isTTY) stderr.write("\n");
      fail(typeof message === "string" ? message : message(), code);
    });
  }
}
