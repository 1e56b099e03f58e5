import type { Screen } from "./command.ts";
import { fail } from "./fail.ts";

/** Ends the process with one line when somebody interrupts it; `before` that is done what cannot wait. */
export function onInterrupt(stderr: Screen, message: string, before: () => void = () => undefined): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      if (stderr.isTTY) stderr.write("\n");
      before();
      fail(message, code);
    });
  }
}
