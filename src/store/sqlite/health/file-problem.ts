import { DatabaseUnavailable } from "../../../domain/database-unavailable.ts";
import { LOCKED } from "../database.ts";

/** Why the file cannot be used: its contents are damaged, or its disk is full or fails. */
type FileFault = "damaged" | "full" | "failing";

const details: Record<FileFault, string> = {
  damaged: "The database is damaged. Its operator must restore a backup.",
  full: "The disk of the database is full.",
  failing: "The database cannot use its disk.",
};

const codes: readonly (readonly [RegExp, FileFault])[] = [
  [/^SQLITE_(CORRUPT|NOTADB)/, "damaged"],
  [/^SQLITE_FULL/, "full"],
  [/^SQLITE_(IOERR|READONLY|CANTOPEN)/, "failing"],
];

/** Plain data of a `FileProblem`, for another thread. */
export interface FileProblemData {
  readonly fault: FileFault;
  readonly detail: string;
  /** SQLite's message, for the log. */
  readonly reason: string;
}

/** A request failed because of the file or its disk. */
export class FileProblem extends DatabaseUnavailable {
  constructor(readonly file: FileProblemData) {
    super(file.detail);
  }
}

/** Converts an error of the file or its disk to a `FileProblem`. Returns other errors unchanged. */
export function toFileProblem(error: unknown): unknown {
  const file = describe(error, "");
  return file ? new FileProblem(file) : error;
}

/**
 * Like `toFileProblem`, for a failed COMMIT: the transaction may already be in the log when the disk reports an error, and
 * SQLite then restores it from the log after a crash.
 */
export function toCommitProblem(error: unknown): unknown {
  const file = describe(error, " The write may or may not have been committed.");
  return file ? new FileProblem(file) : error;
}

/** A problem for a write that failed because of the file, its disk or a lock. */
export function toUnavailable(error: unknown): DatabaseUnavailable {
  const problem = toFileProblem(error);
  return problem instanceof DatabaseUnavailable ? problem : new DatabaseUnavailable(LOCKED, error);
}

function describe(error: unknown, outcome: string): FileProblemData | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  const fault = codes.find(([pattern]) => pattern.test(code))?.[1];
  return fault && { fault, detail: details[fault] + outcome, reason: `${error.message} (${code})` };
}
