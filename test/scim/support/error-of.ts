import { ProblemError } from "../../../src/domain/problem-error.ts";
import { ScimError } from "../../../src/scim/scim-error.ts";

/** What a call fails with: the keyword of SCIM or the type of the problem, and the detail. Undefined if it does not fail. */
export function errorOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof ScimError) return `${error.scimType}: ${error.detail}`;
    if (error instanceof ProblemError) return `${error.type}: ${error.detail}`;
    throw error;
  }
}
