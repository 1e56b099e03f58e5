import { describeInLine, fieldErrors, isSignedOut, RejectedKeyError } from "../lib/api.ts";
import { Alert } from "./states.tsx";

/** Shows a request's error, unless one of these fields already shows it. */
export function RequestError({
  error,
  fields = [],
}: {
  readonly error: unknown;
  readonly fields?: readonly string[];
}) {
  const isShownAtField =
    error instanceof RejectedKeyError ||
    Object.keys(fieldErrors(error)).some((field) => fields.includes(field));
  // If the session has ended, the sign-in prompt opens instead.
  if (error === null || isSignedOut(error) || isShownAtField) return null;
  return <Alert ref={scrollIntoView}>{describeInLine(error)}</Alert>;
}

/** The end of a long form can be out of sight. */
function scrollIntoView(alert: HTMLElement | null): void {
  alert?.scrollIntoView({ block: "nearest" });
}
