import { fieldErrors, isProblem } from "../lib/api.ts";

/** The fields that name one user: no other user has the same email or the same user name. */
const nameFields = ["email", "userName"] as const;
export type NameField = (typeof nameFields)[number];

/** A name that another user has. */
export interface TakenName {
  /** The field of this user that has the name. */
  readonly field: NameField;
  /** What the name is for the other user. */
  readonly as: NameField;
}

/** The name that the service refused because another user has it. Undefined after other errors. */
export function findTakenName(error: unknown): TakenName | undefined {
  if (isProblem(error, "email-taken")) return { field: "email", as: "email" };
  if (!isProblem(error, "value-taken")) return undefined;
  const errors = fieldErrors(error);
  const field = nameFields.find((each) => errors[each] !== undefined);
  return field && { field, as: "userName" };
}
