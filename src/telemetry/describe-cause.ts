import { ProblemError } from "../domain/problem-error.ts";

/** The error and its causes. A `ProblemError` is expected and may be frequent: its stack is left out. */
export function describeCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const description = cause instanceof ProblemError ? cause.message : (cause.stack ?? cause.message);
  const inner = describeCause(cause.cause);
  return inner === undefined ? description : `${description}\ncaused by ${inner}`;
}
