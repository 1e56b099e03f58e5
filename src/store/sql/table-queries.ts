import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** How an engine runs statements that read. */
export interface ReadQueries {
  /** Calls `steps` once per attempt. */
  read<T>(steps: () => SqlSteps<T>): MaybePromise<T>;
}

/** How an engine runs the statements of some tables. */
export interface TableQueries<Write, Outcome> extends ReadQueries {
  /** Runs in its own transaction, which is durable when the promise resolves. */
  write(write: Write): Promise<Outcome>;
}

interface OfKind {
  readonly kind: string;
}

/** Runs a write, and returns the outcome of its kind. */
export async function runWrite<
  Outcome extends OfKind,
  Write extends { readonly kind: Outcome["kind"] },
  One extends Write,
>(queries: TableQueries<Write, Outcome>, write: One): Promise<Extract<Outcome, { kind: One["kind"] }>> {
  const outcome = await queries.write(write);
  if (!isOfKind(outcome, write.kind))
    throw new Error(`Expected the outcome of ${write.kind}, got ${outcome.kind}.`);
  return outcome;
}

const isOfKind = <Value extends OfKind, Kind extends Value["kind"]>(
  value: Value,
  kind: Kind,
): value is Extract<Value, { kind: Kind }> => value.kind === kind;
