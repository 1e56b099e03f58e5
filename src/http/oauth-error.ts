import { type ProblemType, problems } from "../contract/problems.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { type ProblemRenderer, problemHeaders } from "./problem-response.ts";
import { jsonResponse } from "./responses.ts";

/** The error codes of RFC 6749 (sections 4.1.2.1 and 5.2) that this service uses. */
type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "unsupported_grant_type"
  | "server_error"
  | "temporarily_unavailable";

/** A request that OAuth itself refuses with 400. */
export class OAuthError extends ProblemError {
  constructor(
    readonly code: OAuthErrorCode,
    detail: string,
  ) {
    // Responses have the code of OAuth: the problem type gives the status.
    super("invalid-query", detail);
  }
}

/** The codes of other problems than wrong requests. Their responses keep the status of the problem. */
const codes: Partial<Record<ProblemType, OAuthErrorCode>> = {
  unauthenticated: "invalid_client",
  "key-expired": "invalid_client",
  "key-revoked": "invalid_client",
  "rate-limited": "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  internal: "server_error",
};

/** Renders a problem as an error of RFC 6749, with the headers that it has in the API. */
export const oauthErrorResponse: ProblemRenderer = (context, problem) => {
  const { status } = problems[problem.type];
  const error = problem instanceof OAuthError ? problem.code : (codes[problem.type] ?? "invalid_request");
  const document = { error, error_description: toDescription(problem.detail) };
  return jsonResponse(context, status, JSON.stringify(document), {
    ...uncached,
    ...problemHeaders(problem),
    ...(status === 401 && { "www-authenticate": 'Basic realm="roster"' }),
  });
};

/** RFC 6749 wants it beside `Cache-Control: no-store`, for caches of HTTP/1.0. */
export const uncached = { pragma: "no-cache" };

/** Descriptions have only some printable ASCII characters. */
function toDescription(detail: string): string {
  return detail.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, "?");
}
