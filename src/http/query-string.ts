import type { FieldError } from "../contract/problems.ts";
import { ProblemError } from "../domain/problem-error.ts";

/** The query string of a URL, without the question mark. */
export function readQueryString(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** The problem of a query string with errors. An error without a parameter concerns the whole query string. */
export function invalidQuery(errors: readonly FieldError[]): ProblemError {
  const details = errors.map(({ parameter, detail }) => (parameter ? `${parameter}: ${detail}` : detail));
  return new ProblemError("invalid-query", details.join(" "), errors);
}
