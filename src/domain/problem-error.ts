import { type FieldError, type ProblemType, problems } from "../contract/problems.ts";

/** A failed request: a problem type, and a detail that tells what is wrong and what to do. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";

  /** Whether this is the stored outcome of an earlier request with the same idempotency key. */
  replayed = false;

  constructor(
    readonly type: ProblemType,
    readonly detail: string = problems[type].when,
    readonly errors?: readonly FieldError[],
    options?: ErrorOptions,
  ) {
    super(`${type}: ${detail}`, options);
  }

  /** Plain data that can be stored or sent to another thread. */
  get data(): ProblemData {
    return { type: this.type, detail: this.detail, ...(this.errors && { errors: this.errors }) };
  }

  static of({ type, detail, errors }: ProblemData, replayed = false): ProblemError {
    const problem = new ProblemError(type, detail, errors);
    problem.replayed = replayed;
    return problem;
  }
}

export interface ProblemData {
  readonly type: ProblemType;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** Whether an error is a problem of this type. */
export function isProblem(error: unknown, type: ProblemType): error is ProblemError {
  return error instanceof ProblemError && error.type === type;
}
