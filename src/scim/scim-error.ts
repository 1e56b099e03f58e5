import { ProblemError } from "../domain/problem-error.ts";

/** The detail error keywords of SCIM (RFC 7644, section 3.12; RFC 9865) that this service uses. */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue"
  | "invalidCursor";

/** A request that SCIM itself refuses with 400. */
export class ScimError extends ProblemError {
  constructor(
    readonly scimType: ScimType,
    detail: string,
  ) {
    // Responses have the type of SCIM: the problem type gives the status.
    super("invalid-query", detail);
  }
}
