import { ApiError, NetworkError, type Problem, TimeoutError } from "../client/index.ts";
import { ConfigError } from "../config.ts";
import { Refusal } from "../domain/refusal.ts";

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
export function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof ConfigError) return exitCodes.usage.code;
  if (error instanceof NetworkError || error instanceof TimeoutError) return exitCodes.unreachable.code;
  if (error instanceof ApiError) return codeOfStatus(error.status);
  if (error instanceof Refusal)
    return (error.type === "key-not-found" ? exitCodes.notFound : exitCodes.failed).code;
  return undefined;
}

/** In one line, with what to do. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError && error.problem) return describeProblem(error.problem);
  if (error instanceof Refusal) return (error.errors ?? [error]).map(({ detail }) => detail).join(" ");
  if (error instanceof NetworkError) {
    return `Cannot reach ${new URL(error.url).origin}: start the service there, or name another with ROSTER_URL or --url.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** What a problem says, with each of its faults. */
export function describeProblem({ title, detail, errors = [] }: Problem): string {
  const faults = errors.map(({ pointer, parameter, detail: fault }) => {
    const where = (pointer ?? parameter ?? "").replace(/^\//, "");
    return where === "" ? fault : `${where}: ${fault}`;
  });
  return faults.length > 0 ? `${title}. ${faults.join(" ")}` : detail;
}

function codeOfStatus(status: number): number {
  switch (status) {
    case 404:
      return exitCodes.notFound.code;
    case 409:
    case 412:
      return exitCodes.conflict.code;
    case 401:
    case 403:
      return exitCodes.refused.code;
    case 429:
    case 503:
      return exitCodes.unreachable.code;
    default:
      return exitCodes.failed.code;
  }
}
