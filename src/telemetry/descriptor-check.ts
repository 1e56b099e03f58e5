import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { Log } from "./log.ts";

const CHECK_INTERVAL_MS = 1000;
const LOG_INTERVAL_MS = 60_000;

/** Why no file can be opened: the limit of this process, or of the whole machine. */
const causes = new Map([
  ["EMFILE", "The process has reached its limit. Raise it with ulimit -n, or LimitNOFILE in systemd."],
  ["ENFILE", "The machine has reached its limit. Close other programs, or raise the limit of the system."],
]);

/**
 * Logs that file descriptors have run out, at most once per minute. New connections then wait unnoticed: the server
 * reports no error when it cannot accept a connection. Returns a function that ends the check.
 */
export function startDescriptorCheck(log: Log): () => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const check = () => {
    const code = tryOpening();
    const cause = code === undefined ? undefined : causes.get(code);
    if (cause === undefined || performance.now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    log.write("error", "file descriptors have run out: new connections have to wait", { code, cause });
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Undefined if a file can be opened, else the error code of the system. */
function tryOpening(): string | undefined {
  try {
    closeSync(openSync(devNull, "r"));
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : undefined;
  }
}
