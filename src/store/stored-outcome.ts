import type { ProblemType } from "../contract/problems.ts";
import type { UserRecord } from "../contract/user.ts";
import { type ProblemData, ProblemError } from "../domain/problem-error.ts";
import type { Attempt, CreateOutcome } from "../domain/store.ts";
import type { StoredUser } from "../domain/user.ts";

/*
 * Outcomes under idempotency keys, as stored. A repeated request has the same body, so it has the same field errors: only
 * the type of a problem is stored. This keeps an outcome small, whatever the body contains.
 */

/** The result of a create or an import, stored under its idempotency key. */
export interface StoredOutcome {
  readonly fingerprint: string;
  readonly outcome: StoredCreate | StoredImport;
  readonly expiresAt: number;
}

type StoredCreate = { readonly user: StoredUser } | { readonly problem: ProblemData };

export interface StoredImport {
  /**
   * Pairs of a value and a number of lines. A positive value is the id of the first of these lines; the ids of the
   * others follow it. -1 stands for the first of `problems`, -2 for the second, and so on.
   */
  readonly runs: readonly number[];
  readonly problems: readonly ProblemType[];
}

/** For each line of an import, the id of its user or its problem. */
export type ImportResults = readonly (number | ProblemData)[];

export function toStoredCreate(outcome: CreateOutcome["outcome"]): StoredCreate {
  if ("user" in outcome) return outcome;
  const { type, detail } = outcome.problem;
  return { problem: { type, detail } };
}

/** The outcome of a repeated create. */
export function replayCreate(stored: StoredCreate, attempt: Attempt): CreateOutcome["outcome"] {
  if ("user" in stored) return stored;
  return { problem: findProblem(stored.problem.type, attempt) ?? stored.problem };
}

export function toStoredImport(results: ImportResults): StoredImport {
  const runs: number[] = [];
  const problems: ProblemType[] = [];
  for (const result of results) {
    const value = typeof result === "number" ? result : -1 - indexOrAdd(problems, result.type);
    const [first = 0, count = 0] = runs.slice(-2);
    const isNext = count > 0 && value === (first > 0 ? first + count : first);
    if (isNext) runs[runs.length - 1] = count + 1;
    else runs.push(value, 1);
  }
  return { runs, problems };
}

/** The results of a repeated import. `attempts` are its lines. */
export function replayImport({ runs, problems }: StoredImport, attempts: readonly Attempt[]): ImportResults {
  const results: (number | ProblemData)[] = [];
  for (let run = 0; run < runs.length; run += 2) {
    const [first = 0, count = 0] = runs.slice(run, run + 2);
    const type = problems[-1 - first] ?? "internal";
    for (let i = 0; i < count; i++) {
      results.push(first > 0 ? first + i : replayProblem(type, attempts[results.length]));
    }
  }
  return results;
}

/** A stored problem outlives a change of the limits: a line that was rejected stays rejected, without field errors. */
function replayProblem(type: ProblemType, attempt: Attempt | undefined): ProblemData {
  return (attempt && findProblem(type, attempt)) ?? new ProblemError(type).data;
}

/** The problem of this type that the attempt has. */
function findProblem(type: ProblemType, attempt: Attempt): ProblemData | undefined {
  if ("record" in attempt) return type === "email-taken" ? emailTaken(attempt.record).data : undefined;
  return attempt.problem.type === type ? attempt.problem : undefined;
}

export function emailTaken(record: UserRecord): ProblemError {
  return new ProblemError("email-taken", undefined, [
    { pointer: "/email", detail: `${record.email} is already in use.` },
  ]);
}

function indexOrAdd<T>(list: T[], value: T): number {
  const index = list.indexOf(value);
  return index < 0 ? list.push(value) - 1 : index;
}
