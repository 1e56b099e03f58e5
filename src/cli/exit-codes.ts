import { ApiError, NetworkError, TimeoutError } from "../client/index.ts";
import { ConfigError } from "../config/config.ts";
import { ListenError } from "../config/listen-error.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { FileExistsError } from "../store/partial-file.ts";
import { StoreError } from "../store/store-error.ts";
import { GroupNameError } from "./find-group.ts";

/** Exit codes. docs/cli.md is generated from this table. */
export const exitCodes = {
  success: { code: 0, when: "Success." },
  failed: { code: 1, when: "The command failed, completely or in part." },
  usage: { code: 2, when: "Invalid usage: a flag, a value or a setting is wrong." },
  notFound: { code: 3, when: "The user, group, key or field does not exist." },
  conflict: {
    code: 4,
    when: "Conflict: the email or the name is already in use, the user or the group has changed, or the file to write already exists.",
  },
  denied: { code: 5, when: "The API key is missing or invalid, or lacks a scope." },
  unreachable: { code: 6, when: "The service does not respond or is overloaded: try again later." },
} as const;

/** Undefined for an unexpected error. */
export function exitCodeFor(error: unknown): number | undefined {
  if (error instanceof ConfigError) return exitCodes.usage.code;
  if (error instanceof GroupNameError) return exitCodes[error.reason].code;
  if (error instanceof FileExistsError) return exitCodes.conflict.code;
  if (error instanceof StoreError || error instanceof ListenError) return exitCodes.failed.code;
  if (error instanceof NetworkError || error instanceof TimeoutError) return exitCodes.unreachable.code;
  if (error instanceof ApiError) return exitCodeForResponse(error);
  if (error instanceof ProblemError)
    return (error.type === "key-not-found" ? exitCodes.notFound : exitCodes.failed).code;
  return undefined;
}

function exitCodeForResponse({ status, type }: ApiError): number {
  switch (status) {
    case 400:
      return (type === "invalid-query" ? exitCodes.usage : exitCodes.failed).code;
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
