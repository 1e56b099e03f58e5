import { ProblemError } from "./problem-error.ts";

/** The database does not respond, or cannot be used at the moment. Logged once per outage, not once per request. */
export class DatabaseUnavailable extends ProblemError {
  /** Whether the store has already reported the cause, with more details. */
  reported = false;
  /** Whether the request waited for a free connection in vain: because of other requests, or of a lost database. */
  noConnection = false;

  constructor(detail: string, cause?: unknown) {
    super("unavailable", detail, undefined, { cause });
  }
}

/** For work after a change that has happened already: throws every error but `unavailable`. */
export function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof ProblemError) || error.type !== "unavailable") throw error;
}
