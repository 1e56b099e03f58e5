import { redactSecretsInPath } from "../contract/key-secret.ts";
import { problems } from "../contract/problems.ts";
import { DatabaseUnavailable } from "../domain/database-unavailable.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { describeCause } from "../telemetry/describe-cause.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { OutageLog } from "../telemetry/outage-log.ts";
import { parsePath, type RequestContext } from "./request-context.ts";

const MAX_PATH_CHARACTERS = 256;

export interface RequestLogParts {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly outages: OutageLog;
  readonly slowMs: number;
  readonly stopPhase: () => StopPhase;
}

/** A stopping service finishes its requests, but is no longer ready. Then it aborts the remaining requests. */
export type StopPhase = "running" | "stopping" | "aborting";

/**
 * Counts every request, and logs requests that failed or were slow; at level debug, it logs every request. Failures by a
 * lost database or a planned stop are logged at level debug only.
 */
export class RequestLog {
  readonly #parts: RequestLogParts;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
  }

  record(context: RequestContext, status: number, ms: number): void {
    const { log, metrics, slowMs } = this.#parts;
    metrics.recordRequest(context.route, context.request.method, status, ms / 1000);
    const failed = status >= 500;
    const slow = ms > slowMs;
    const level = failed
      ? this.#failureLevel(context, context.cause, status)
      : slow
        ? "warn"
        : context.logAtInfo
          ? "info"
          : "debug";
    if (!log.enabled(level)) return;
    log.write(level, failed ? "request failed" : slow ? "slow request" : "request", {
      ...describeRequest(context),
      status,
      ms: Math.round(ms * 10) / 10,
      cause: describeCause(context.cause),
    });
  }

  /** Logs an error that cut off a response after its status was sent. */
  writeStreamError(context: RequestContext, error: unknown): void {
    const isExpected = error instanceof ProblemError && problems[error.type].status < 500;
    const level = isExpected ? "info" : this.#failureLevel(context, error);
    this.#parts.log.write(level, "response aborted", {
      ...describeRequest(context),
      cause: describeCause(error),
    });
  }

  #failureLevel({ request, start }: RequestContext, cause: unknown, status?: number): "error" | "debug" {
    const phase = this.#parts.stopPhase();
    if (phase === "aborting" || (phase === "stopping" && status === 503)) return "debug";
    if (!(cause instanceof DatabaseUnavailable)) return "error";
    const access = ["GET", "HEAD"].includes(request.method) ? "read" : "write";
    return this.#parts.outages.requestFailed(cause, access, start) ? "debug" : "error";
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
