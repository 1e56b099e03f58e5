export interface DriverOptions {
  readonly url: string;
  /** Reads random users from 1 to this id. */
  readonly users: number;
  readonly connections: number;
  /** The number of statements in flight. */
  readonly concurrentStatements: number;
  readonly usersPerStatement: number;
}

/** Each user counts as one request. An error is a user that was not found. */
export interface DriverReport {
  readonly requests: number;
  readonly errors: number;
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
