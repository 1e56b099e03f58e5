import { ApiError, NetworkError, type Problem, type RequestError, TimeoutError } from "../client/index.ts";
import { ConfigError, UnknownFlagError } from "../config/config.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { closestMatch } from "./closest-match.ts";

/** How a command can end, for the programs that call it. docs/cli.md is made from this table. */
export const exitCodes = {
  done: { code: 0, when: "It is done." },
  failed: { code: 1, when: "It could not be done, or some of it could not." },
  usage: { code: 2, when: "It cannot be meant so: a flag, a value or a setting is wrong." },
  notFound: { code: 3, when: "There is no such user or key." },
  conflict: { code: 4, when: "Somebody else was first: the email is taken, or the user has changed." },
  refused: { code: 5, when: "The service wants a key, or one with another scope." },
  unreachable: { code: 6, when: "The service does not answer, or has no time: try again later." },
} as const;

/** The code that goes with an error that is told in one line; undefined for one that nobody expected. */
export function exitCodeFor(error: unknown): number | undefined {
  if (error instanceof ConfigError) return exitCodes.usage.code;
  if (error instanceof NetworkError || error instanceof TimeoutError) return exitCodes.unreachable.code;
  if (error instanceof ApiError) return exitCodeForResponse(error);
  if (error instanceof ProblemError)
    return (error.type === "key-not-found" ? exitCodes.notFound : exitCodes.failed).code;
  return undefined;
}

/** In one line, with what to do. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return describeApiError(error);
  if (error instanceof ProblemError) return (error.errors ?? [error]).map(({ detail }) => detail).join(" ");
  if (error instanceof NetworkError) {
    return `Cannot reach ${originOf(error)} (${reasonOf(error)}): start the service there, or name another with ROSTER_URL or --url.`;
  }
  if (error instanceof TimeoutError) {
    return `${originOf(error)} does not answer in time: try again later, or give it longer with --timeout.`;
  }
  if (error instanceof UnknownFlagError) {
    // Of a shorter one, hardly a letter would be left.
    const meant = error.flag.length > 4 ? closestMatch(error.flag, error.validFlags) : undefined;
    if (meant !== undefined) return `Unknown option ${error.flag}. Did you mean ${meant}? See ${error.help}.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** What a problem says, with each of its faults. */
export function describeProblem({ title, detail, errors = [] }: Problem): string {
  const faults = errors.map(({ pointer, parameter, detail: fault }) => {
    const where = (pointer ?? parameter ?? "").replace(/^\//, "");
    return fault.toLowerCase().includes(where.toLowerCase()) ? fault : `${where}: ${fault}`;
  });
  const [only = detail, ...more] = faults;
  return more.length === 0 ? only : `${title}. ${faults.join(" ")}`;
}

function describeApiError(error: ApiError): string {
  const { problem, status, type } = error;
  if (!problem || type === "not-found") {
    return `What answers at ${originOf(error)} does not do so as Roster does (${error.message}): check ROSTER_URL or --url.`;
  }
  if (status !== 401) return describeProblem(problem);
  // How a key is sent is this program's business; where it is taken from is not.
  const reason = problem.detail.replace(/(: send .*)?\.?$/, "");
  return `${reason}: put one that ${originOf(error)} takes in ROSTER_API_KEY. \`roster keys create\` makes one, on its host.`;
}

function originOf({ url }: RequestError): string {
  return new URL(url).origin;
}

/** Why there is no answer, as the platform begins to say it. */
function reasonOf({ cause, message }: NetworkError): string {
  const said = cause instanceof Error ? cause.message : message;
  return said.split(/[.?!](?:\s|$)/)[0] ?? said;
}

function exitCodeForResponse({ status, type }: ApiError): number {
  switch (status) {
    case 404:
      // Of a path that is not there, or of a service that is none of ours, it says nothing about users.
      return (type?.endsWith("-not-found") ? exitCodes.notFound : exitCodes.failed).code;
    case 409:
    case 412:
      return exitCodes.conflict.code;
    case 401:
    case 403:
      return exitCodes.refused.code;
    case 429:
    case 502:
    case 503:
    case 504:
      return exitCodes.unreachable.code;
    default:
      return exitCodes.failed.code;
  }
}
