import { problems } from "../contract/problems.ts";
import { keyIdOf } from "../domain/caller.ts";
import { DatabaseUnavailable } from "../domain/database-unavailable.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { describeCause } from "../telemetry/describe-cause.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { OutageLog } from "../telemetry/outage-log.ts";
import { loggedPath } from "./logged-path.ts";
import type { RequestContext } from "./request-context.ts";

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
    const rounded = Math.round(ms * 10) / 10;
    if (isFailure(status)) {
      this.#writeFailure(context, "request failed", context.cause, { status, ms: rounded });
      return;
    }
    const slow = ms > slowMs;
    const level = slow ? "warn" : context.logAtInfo ? "info" : "debug";
    if (!log.enabled(level)) return;
    log.write(level, slow ? "slow request" : "request", { ...describeRequest(context), status, ms: rounded });
  }

  /** Logs an error that cut off a response after its status was sent. */
  writeStreamError(context: RequestContext, error: unknown): void {
    const message = "response aborted";
    const isExpected = error instanceof ProblemError && problems[error.type].status < 500;
    if (isExpected)
      this.#parts.log.write("info", message, { ...describeRequest(context), cause: describeCause(error) });
    else this.#writeFailure(context, message, error);
  }

  #writeFailure(
    context: RequestContext,
    message: string,
    cause: unknown,
    result: { readonly status?: number; readonly ms?: number } = {},
  ): void {
    const { log, outages, stopPhase } = this.#parts;
    const fields = { ...describeRequest(context), ...result, cause: describeCause(cause) };
    const write = (level: "error" | "debug") => log.write(level, message, fields);
    const phase = stopPhase();
    const access = ["GET", "HEAD"].includes(context.request.method) ? "read" : "write";
    if (phase === "aborting" || (phase === "stopping" && result.status === 503)) write("debug");
    else if (cause instanceof DatabaseUnavailable) outages.requestFailed(cause, access, context.start, write);
    else write("error");
  }
}

/** Whether the service failed. What it never does is no failure. */
function isFailure(status: number): boolean {
  return status >= 500 && status !== problems["not-implemented"].status;
}

function describeRequest(context: RequestContext) {
  const { request, requestId, caller, span } = context;
  return {
    method: request.method,
    path: loggedPath(context),
    requestId,
    key: keyIdOf(caller.actor),
    traceId: span?.context.traceId,
  };
}
