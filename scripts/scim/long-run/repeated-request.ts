/** What a client sends, again and again until it has an answer, and what it expects back. */
export interface RequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The status if another attempt has already made the change. Default: the same. */
  readonly again?: number;
  /** Whether the first attempt does not wait for its turn. */
  readonly isUrgent?: boolean;
}

interface Attempt {
  readonly requestId: string;
  /** `unknown`: the answer is lost. `failed`: the service has refused the request, or never had the whole of it. */
  outcome: "unknown" | "failed" | "done";
}

/** A request, and all attempts to send it. */
export class RepeatedRequest {
  readonly attempts: Attempt[] = [];
  readonly status: number;
  readonly again: number;
  /** The number of events of each type that all attempts together cause. */
  events: Readonly<Record<string, number>> = {};

  /** `line` is such as `GET /Users/42`. */
  constructor(
    readonly line: string,
    readonly options: RequestOptions,
  ) {
    this.status = options.status;
    this.again = options.again ?? options.status;
  }

  /** Whether an attempt may have succeeded, or has. */
  get mayBeDone(): boolean {
    return this.attempts.some(({ outcome }) => outcome !== "failed");
  }

  get isUncertain(): boolean {
    return this.attempts.some(({ outcome }) => outcome === "unknown");
  }

  /** Whether another success would be one too many. */
  get succeedsOnce(): boolean {
    return this.again !== this.status;
  }
}
