import { ApiError, NetworkError, type Problem, type RequestError, TimeoutError } from "../client/index.ts";
import { ConfigError, UnknownFlagError } from "../config/config.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { closestMatch } from "./closest-match.ts";

/** Exit codes. docs/cli.md is generated from this table. */
export const exitCodes = {
  success: { code: 0, when: "Success." },
  failed: { code: 1, when: "The command failed, or part of it did." },
  usage: { code: 2, when: "Invalid usage: a flag, a value or a setting is wrong." },
  notFound: { code: 3, when: "The user or key does not exist." },
  conflict: { code: 4, when: "Conflict: the email is already in use, or the user has changed." },
  denied: { code: 5, when: "The API key is missing or invalid, or lacks a scope." },
  unreachable: { code: 6, when: "The service does not respond or is overloaded: try again later." },
} as const;

/** Undefined for an unexpected error. */
export function exitCodeFor(error: unknown): number | undefined {
  if (error instanceof ConfigError) return exitCodes.usage.code;
  if (error instanceof NetworkError || error instanceof TimeoutError) return exitCodes.unreachable.code;
  if (error instanceof ApiError) return exitCodeForResponse(error);
  if (error instanceof ProblemError)
    return (error.type === "key-not-found" ? exitCodes.notFound : exitCodes.failed).code;
  return undefined;
}

/** One line that says what is wrong and what to do. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return describeApiError(error);
  if (error instanceof ProblemError) return (error.errors ?? [error]).map(({ detail }) => detail).join(" ");
  if (error instanceof NetworkError) {
    return `Cannot reach ${originOf(error)} (${reasonOf(error)}). Start the service, or set another URL with ROSTER_URL or --url.`;
  }
  if (error instanceof TimeoutError) {
    return `${originOf(error)} did not respond in time. Try again later, or increase --timeout.`;
  }
  if (error instanceof UnknownFlagError) {
    // Shorter flags are too close to everything.
    const suggestion = error.flag.length > 4 ? closestMatch(error.flag, error.validFlags) : undefined;
    if (suggestion !== undefined)
      return `Unknown option ${error.flag}. Did you mean ${suggestion}? See ${error.help}.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The detail of a problem, with its field errors. */
export function describeProblem({ title, detail, errors = [] }: Problem): string {
  const details = errors.map(({ pointer, parameter, detail: fieldDetail }) => {
    const where = (pointer ?? parameter ?? "").replace(/^\//, "");
    return fieldDetail.toLowerCase().includes(where.toLowerCase()) ? fieldDetail : `${where}: ${fieldDetail}`;
  });
  const [only = detail, ...more] = details;
  return more.length === 0 ? only : `${title}. ${details.join(" ")}`;
}

function describeApiError(error: ApiError): string {
  const { problem, status, type } = error;
  if (!problem || type === "not-found") {
    return `${originOf(error)} is not a Roster service (${error.message}). Check ROSTER_URL or --url.`;
  }
  if (status !== 401) return describeProblem(problem);
  // The service explains how to send a key in HTTP. Explain how to pass one to this command instead.
  const reason = problem.detail.replace(/(\. Send .*)?\.?$/, "");
  return `${reason}. Set ROSTER_API_KEY to a key of ${originOf(error)}. Create one on its host with \`roster keys create\`.`;
}

function originOf({ url }: RequestError): string {
  return new URL(url).origin;
}

/** The first sentence of the platform's error. */
function reasonOf({ cause, message }: NetworkError): string {
  const text = cause instanceof Error ? cause.message : message;
  return text.split(/[.?!](?:\s|$)/)[0] ?? text;
}

function exitCodeForResponse({ status, type }: ApiError): number {
  switch (status) {
    case 404:
      // A 404 of an unknown path, or of another service, says nothing about users.
      return (type?.endsWith("-not-found") ? exitCodes.notFound : exitCodes.failed).code;
    case 409:
    case 412:
      return exitCodes.conflict.code;
    case 401:
    case 403:
      return exitCodes.denied.code;
    case 429:
    case 502:
    case 503:
    case 504:
      return exitCodes.unreachable.code;
    default:
      return exitCodes.failed.code;
  }
}
