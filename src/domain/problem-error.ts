import { type FieldError, type ProblemType, problems } from "../contract/problems.ts";

/** Why a request was not done: a type from the catalogue, and what to do about it this time. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";

  /** Whether this is the outcome of an earlier request, told again. */
  replayed = false;

  constructor(
    readonly type: ProblemType,
    readonly detail: string = problems[type].when,
    readonly errors?: readonly FieldError[],
    options?: ErrorOptions,
  ) {
    super(`${type}: ${detail}`, options);
  }

  /** As plain data, to be kept or to cross to another thread. */
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
