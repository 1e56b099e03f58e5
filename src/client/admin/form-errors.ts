import type { Problem } from "../service-types.ts";

/** What forms show of a failed call: the status, a sentence, and a message for each field. */
export interface FormErrors {
  readonly status: number;
  readonly message: string;
  /** By path: `["address", "city"]`. */
  readonly fields: readonly { readonly path: readonly string[]; readonly message: string }[];
}

/** The problem of a failed call; undefined for other errors. Works with errors of any copy of the client. */
export function problemOf(error: unknown): Problem | undefined {
  return error instanceof Error && "problem" in error && isProblem(error.problem) ? error.problem : undefined;
}

function toFormErrors(problem: Problem): FormErrors {
  const fields = (problem.errors ?? []).flatMap(({ pointer, detail }) =>
    pointer ? { path: pointer.slice(1).split("/").map(decodePointer), message: detail } : [],
  );
  return { status: problem.status, message: problem.detail, fields };
}

/** Calls the service. A problem becomes an error that the framework's forms can show. */
export async function withFormErrors<Result>(
  send: () => Promise<Result>,
  toError: (errors: FormErrors, cause: unknown) => Error,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    const problem = problemOf(error);
    throw problem ? toError(toFormErrors(problem), error) : error;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "status" in value && "detail" in value;
}

/** RFC 6901. */
function decodePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
