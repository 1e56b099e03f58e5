import { describeError, fieldErrors, isSignedOut } from "../lib/api.ts";
import { Alert } from "../ui/states.tsx";

/** Why the service did not do it, where that is not said at a field. */
export function RequestError({
  error,
  fields = [],
}: {
  readonly error: unknown;
  readonly fields?: readonly string[];
}) {
  // Over that a dialog opens, and then there is nothing left to say.
  const ended = isSignedOut(error);
  const atField = Object.keys(fieldErrors(error)).some((field) => fields.includes(field));
  if (error === null || ended || atField) return null;
  return <Alert>{describeError(error).text}</Alert>;
}
