import type { Screen } from "./command.ts";
import { fail } from "./fail.ts";

/**
 * Ends the process with a message on SIGINT or SIGTERM. A function cleans up before, and returns the message. Returns a function
 * that ends this.
 */
export function onInterrupt(stderr: Screen, message: string | (() => string)): () => void {
  const handlers = (
    [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const
  ).map(([signal, code]) => {
    const handle = () => {
      if (stderr.isTTY) stderr.write("\n");
      fail(typeof message === "string" ? message : message(), code);
    };
    process.once(signal, handle);
    return () => process.off(signal, handle);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}
