import { redactSecretsInPath } from "../contract/key-secret.ts";
import { mediaTypes } from "../contract/operation.ts";
import { type ProblemDocument, problems } from "../contract/problems.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { RequestContext } from "./request-context.ts";
import { jsonResponse } from "./responses.ts";

/** Seconds after which a 503 is worth another try. */
const RETRY_AFTER = "1";

/** A problem that carries headers of its own, such as Allow. */
export class HttpProblemError extends ProblemError {
  constructor(
    type: ProblemError["type"],
    detail: string,
    readonly headers: Record<string, string>,
  ) {
    super(type, detail);
  }
}

/** Any error as the one document that callers get. What is not a problem is ours, and says nothing of the inside. */
export function problemResponse(context: RequestContext, error: unknown): Response {
  const problem = error instanceof ProblemError ? error : new ProblemError("internal");
  const { status, title } = problems[problem.type];
  if (status >= 500) context.cause = error;
  const document: ProblemDocument = {
    type: `/problems/${problem.type}`,
    title,
    status,
    detail: problem.detail,
    instance: redactSecretsInPath(parsePath(context.request.url)),
    requestId: context.requestId,
    ...(problem.errors && { errors: [...problem.errors] }),
  };
  return jsonResponse(context, status, JSON.stringify(document), {
    "content-type": mediaTypes.problem,
    ...(status === 503 && { "retry-after": RETRY_AFTER }),
    ...(problem.replayed && { "idempotency-replayed": "true" }),
    ...(problem instanceof HttpProblemError && problem.headers),
  });
}

/** The path of a URL, never its query: what is in there is not for logs and error pages. */
export function parsePath(url: string): string {
  // Without a Host header there is no more than the path to make a URL of.
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : end);
}
