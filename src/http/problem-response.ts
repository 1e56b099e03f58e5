import { redactSecretsInPath } from "../contract/keys/key-secret.ts";
import { mediaTypes } from "../contract/operation.ts";
import { type ProblemDocument, problems } from "../contract/problems.ts";
import { type ProblemData, ProblemError } from "../domain/problem-error.ts";
import { parsePath, type RequestContext } from "./request-context.ts";
import { jsonResponse } from "./responses.ts";

const RETRY_AFTER_SECONDS = "1";

/** A problem whose response has additional headers, such as Allow. */
export class HttpProblemError extends ProblemError {
  constructor(
    type: ProblemError["type"],
    detail: string,
    readonly headers: Record<string, string>,
  ) {
    super(type, detail);
  }
}

/** Renders the response to a request that failed. */
export type ProblemRenderer = (context: RequestContext, problem: ProblemError) => Response;

/** Renders a problem as `application/problem+json` (RFC 9457). */
export const problemResponse: ProblemRenderer = (context, problem) => {
  const instance = redactSecretsInPath(parsePath(context.url));
  const document = problemDocument(problem.data, instance, context.requestId);
  return jsonResponse(context, document.status, JSON.stringify(document), {
    "content-type": mediaTypes.problem,
    ...problemHeaders(problem),
  });
};

export function problemDocument(
  { type, detail, errors }: ProblemData,
  instance: string,
  requestId: string,
): ProblemDocument {
  const { status, title } = problems[type];
  return {
    type: `/problems/${type}`,
    title,
    status,
    detail,
    instance,
    requestId,
    ...(errors && { errors: [...errors] }),
  };
}

/** The headers of a problem's response, whatever the format of the body. */
export function problemHeaders(problem: ProblemError): Record<string, string> {
  const { status } = problems[problem.type];
  return {
    ...(status === 401 && { "www-authenticate": 'Bearer realm="roster"' }),
    ...(status === 503 && { "retry-after": RETRY_AFTER_SECONDS }),
    ...(problem.replayed && { "idempotency-replayed": "true" }),
    ...(problem instanceof HttpProblemError && problem.headers),
  };
}
