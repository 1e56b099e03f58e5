import { redactSecretsInPath } from "../contract/key-secret.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { parsePath, type RequestContext } from "./request-context.ts";

const MAX_PATH_CHARACTERS = 256;

/** Counts every request, and logs requests that failed or were slow; at level debug, it logs every request. */
export class RequestLog {
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #slowMs: number;

  constructor(log: Log, metrics: Metrics, slowMs: number) {
    this.#log = log;
    this.#metrics = metrics;
    this.#slowMs = slowMs;
  }

  record(context: RequestContext, status: number, ms: number): void {
    this.#metrics.recordRequest(context.route, context.request.method, status, ms / 1000);
    const failed = status >= 500;
    const slow = ms > this.#slowMs;
    const level = failed ? "error" : slow ? "warn" : context.logAtInfo ? "info" : "debug";
    if (!this.#log.enabled(level)) return;
    this.#log.write(level, failed ? "request failed" : slow ? "slow request" : "request", {
      ...describeRequest(context),
      status,
      ms: Math.round(ms * 10) / 10,
      cause: describeCause(context.cause),
    });
  }

  /** Logs an error that cut off a response after its status was sent. */
  writeStreamError(context: RequestContext, error: unknown): void {
    this.#log.write("error", "response aborted", {
      ...describeRequest(context),
      cause: describeCause(error),
    });
  }
}

function describeRequest({ request, requestId, caller }: RequestContext) {
  return {
    method: request.method,
    path: redactSecretsInPath(parsePath(request.url)).slice(0, MAX_PATH_CHARACTERS),
    requestId,
    key: caller.actor ?? undefined,
  };
}

/** The error and its causes. A `ProblemError` is expected and may be frequent: its stack is left out. */
function describeCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const description = cause instanceof ProblemError ? cause.message : (cause.stack ?? cause.message);
  const inner = describeCause(cause.cause);
  return inner === undefined ? description : `${description}\ncaused by ${inner}`;
}
