/** The result of a load. An error is an unexpected status or a missing response. */
export interface LoadReport {
  readonly requests: number;
  readonly errors: number;
  /** Each error, and how often it occurred. */
  readonly problems: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly rate: number;
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}
