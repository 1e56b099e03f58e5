import type { Screen } from "./command.ts";
import { fail } from "./fail.ts";

/** Ends the process with a message on SIGINT or SIGTERM, after `cleanUp`. */
export function onInterrupt(stderr: Screen, message: string, cleanUp: () => void = () => undefined): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      if (stderr.isTTY) stderr.write("\n");
      cleanUp();
      fail(message, code);
    });
  }
}
