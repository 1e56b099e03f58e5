import { ApiError, NetworkError, type Problem, type RequestError, TimeoutError } from "../client/index.ts";
import { UnknownFlagError } from "../config/config.ts";
import { describeFieldError } from "../contract/problems.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { closestMatch } from "./closest-match.ts";

/** One line that says what is wrong and what to do. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return describeApiError(error);
  if (error instanceof ProblemError) {
    const details = (error.errors ?? [error]).map(({ detail }) => detail).join(" ");
    // The field of the API is a command here.
    return details.replace("Create a key without `replaces`", "Create a key with `roster keys create`");
  }
  if (error instanceof NetworkError) {
    return `Cannot reach ${originOf(error)} (${reasonOf(error)}). Start the service, or set another URL with ROSTER_URL or --url.`;
  }
  if (error instanceof TimeoutError) {
    return `${originOf(error)} did not respond in time. Try again later, or increase --timeout.`;
  }
  if (error instanceof UnknownFlagError) {
    // Common in other command lines.
    if (error.flag === "--json" && error.validFlags.includes("--output"))
      return `Unknown option --json. Use --output json or --output ndjson. See ${error.help}.`;
    if (error.flag === "-o") {
      const target = error.positionals.includes("file") ? "FILE" : "> FILE";
      return `Unknown option -o. To write to a file: ${error.help.replace(/ --help$/, "")} ${target}. See ${error.help}.`;
    }
    // Shorter flags are too close to everything.
    const suggestion = error.flag.length > 4 ? closestMatch(error.flag, error.validFlags) : undefined;
    if (suggestion !== undefined)
      return `Unknown option ${error.flag}. Did you mean ${suggestion}? See ${error.help}.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The detail of a problem, with its field errors. */
export function describeProblem({ title, detail, errors = [] }: Problem): string {
  // The place of an id among those to add or to remove says nothing to a person.
  const isMember = (pointer = "") => /^\/(add|remove)\/\d+$/.test(pointer);
  const details = errors.map((error) => (isMember(error.pointer) ? error.detail : describeFieldError(error)));
  const [only = detail, ...more] = details;
  return more.length === 0 ? only : `${title}. ${details.join(" ")}`;
}

function describeApiError(error: ApiError): string {
  const { problem, status, type } = error;
  if (!problem || type === "not-found") {
    return `${originOf(error)} is not a Roster service (${error.message}). Check ROSTER_URL or --url.`;
  }
  if (problem.errors?.some(({ parameter }) => parameter === "after")) {
    return "Invalid --after. Use the cursor that the previous list printed, with the same --sort.";
  }
  if (status !== 401) return describeProblem(problem);
  // The service explains how to send a key in HTTP. Explain how to pass one to this command instead.
  const reason = problem.detail.replace(/(\. Send .*)?\.?$/, "");
  return `${reason}. Sign in with \`roster login\`, or set ROSTER_API_KEY to a key of ${originOf(error)}. Create one on its host with \`roster keys create\`.`;
}

function originOf({ url }: RequestError): string {
  return new URL(url).origin;
}

/** The first sentence of the platform's error. */
function reasonOf({ cause, message }: NetworkError): string {
  const text = cause instanceof Error ? cause.message : message;
  return text.split(/[.?!](?:\s|$)/)[0] ?? text;
}
