import { ApiError, NetworkError, RequestError, TimeoutError } from "../../client/index.ts";
import { describeProblem } from "../describe-error.ts";
import { shorten } from "./arguments.ts";
import type { Tool } from "./tool.ts";

const MAX_CHARACTERS = 2000;

/** What is wrong and what to do, for an assistant: in the words of the tools, or what to tell the operator of `roster mcp`. */
export function describeToolError(error: unknown, tool: Pick<Tool, "annotations">): string {
  const text =
    error instanceof RequestError
      ? `${describeRequestError(error)}${describeUncertainty(error, tool)}`
      : error instanceof Error
        ? error.message
        : String(error);
  return shorten(text, MAX_CHARACTERS);
}

function describeRequestError(error: RequestError): string {
  const { origin } = new URL(error.url);
  if (error instanceof NetworkError)
    return `roster mcp cannot reach the service at ${origin}. Try again later, or tell the operator.`;
  if (error instanceof TimeoutError)
    return `The service at ${origin} did not respond in time. Try again later, or ask for less.`;
  return error instanceof ApiError ? describeApiError(error, origin) : error.message;
}

function describeApiError({ problem, status, type, headers, requestId }: ApiError, origin: string): string {
  if (!problem || type === "not-found") {
    return `${origin} is not a Roster service, or is not available. Tell the operator of roster mcp.`;
  }
  if (problem.errors?.some(({ parameter }) => parameter === "after")) {
    return "after is not valid. Pass next of the previous answer, unchanged, with the same other arguments.";
  }
  const detail = describeProblem(problem);
  if (problem.errors?.some(({ parameter }) => parameter === "filter")) {
    return `${detail} Write a filter like this: department eq "Sales" and createdAt ge "2026-01-31".`;
  }
  switch (type) {
    case "user-not-found":
      return `${detail} Find users with search_users.`;
    case "group-not-found":
      return `${detail} Find groups with list_groups.`;
    case "email-taken":
      return `${detail} Find the user who has it with get_user.`;
    case "value-taken":
      return `${detail} Find the user who has it with search_users.`;
    case "version-mismatch":
      return `${detail} Read the user again with get_user, and pass the new version.`;
    case "insufficient-scope":
      return `${detail} The operator can give roster mcp a key with this scope.`;
    case "too-large":
      return "The user has too much data. Store large data elsewhere, and put a reference to it into the user.";
    case "quota-exceeded":
      return `${detail} It ends with the month. The operator can increase the quota.`;
    case "unavailable": {
      const seconds = headers.get("retry-after");
      return `${detail} Try again${seconds === null ? " later" : ` in ${seconds} seconds`}.`;
    }
    case "internal":
      return `The service failed. Try again. If the error persists, give the operator the request id ${requestId}.`;
    default:
      break;
  }
  if (status !== 401) return detail;
  // The service explains how to send a key in HTTP. An assistant has no key: the operator of the command has.
  const reason = problem.detail.replace(/(\. Send .*)?\.?$/, "");
  return `${reason}. No tool works until the operator starts roster mcp again with an active key.`;
}

/** After an error without a response, a change may have been made. To repeat it could make it twice. */
function describeUncertainty(error: RequestError, { annotations }: Pick<Tool, "annotations">): string {
  if (annotations.readOnlyHint || error instanceof ApiError) return "";
  return " The change may or may not have been made: look with search_users before you repeat it.";
}
