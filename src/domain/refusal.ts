import { type Fault, type ProblemType, problems } from "../contract/problems.ts";

/** Why a request was not done: a type from the catalogue, and what to do about it this time. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  /** Whether this is the outcome of an earlier request, told again. */
  replayed = false;

  constructor(
    readonly type: ProblemType,
    readonly detail: string = problems[type].when,
    readonly errors?: readonly Fault[],
    options?: ErrorOptions,
  ) {
    super(`${type}: ${detail}`, options);
  }

  /** As plain data, to be kept or to cross to another thread. */
  get data(): RefusalData {
    return { type: this.type, detail: this.detail, ...(this.errors && { errors: this.errors }) };
  }

  static of({ type, detail, errors }: RefusalData, replayed = false): Refusal {
    const refusal = new Refusal(type, detail, errors);
    refusal.replayed = replayed;
    return refusal;
  }
}

export interface RefusalData {
  readonly type: ProblemType;
  readonly detail: string;
  readonly errors?: readonly Fault[];
}
