import { ProblemError } from "../../domain/problem-error.ts";
import { pathParameter, type RequestContext } from "../request-context.ts";

/** Parses a positive integer in plain decimal. Returns undefined for any other text. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Reads the id in a request's path. An invalid id throws the same problem as an id that does not exist. */
export function readPathId(
  context: RequestContext,
  notFound: "user-not-found" | "key-not-found" | "webhook-not-found",
  name = "id",
): number {
  const id = parseId(pathParameter(context, name));
  if (id === undefined) throw new ProblemError(notFound, "An id is a positive integer in plain decimal.");
  return id;
}
