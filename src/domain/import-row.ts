import type { Origin } from "./caller.ts";
import type { IdempotencyKey } from "./idempotency-key.ts";
import type { ProblemData } from "./problem-error.ts";

/** One line of an import: JSON text, or the problem with the line. */
export type ImportLine = { readonly json: string } | { readonly problem: ProblemData };

/** One row of an import, with its line number. */
export type Row = { readonly line: number } & ImportLine;

/** The record of one line. A dry run creates none, so its outcome has no id. */
export interface ImportedRecord {
  readonly created: boolean;
  readonly id: number | undefined;
}

/** The result of one line, or its problem. */
export type LineResult<Result> = Result | { readonly problem: ProblemData };

/** The outcome of a chunk: of this request, or the stored outcome of an earlier one. */
export interface ImportOutcome<Result> {
  readonly results: readonly LineResult<Result>[];
  readonly replayed: boolean;
}

/** Receives the chunks of an import. */
export interface ImportTarget<Options, Result> {
  /**
   * Applies the lines in one transaction. Each succeeds or fails on its own. With an idempotency key, all results together are stored
   * as one outcome.
   */
  import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    options?: Options,
  ): Promise<ImportOutcome<Result>>;
}

/** Finds out what an import would do. Remembers earlier chunks until it is disposed. */
export interface ImportDryRun<Options, Result> extends ImportTarget<Options, Result>, Disposable {}
