import type { ProblemData } from "../../../domain/problem-error.ts";
import { type StoredOutcome, toStoredImport, userIdOf } from "../../writes/stored-outcome.ts";

/** An outcome as early databases store it: the first two forms are older than the other ones. */
type EarlierOutcome =
  | { readonly refusal: ProblemData }
  | { readonly users: readonly (number | ProblemData)[] }
  | StoredOutcome["outcome"];

/** The outcome as it is stored now, and the id of the user in it. */
export function convertOutcome(text: string): { readonly text: string; readonly userId: number | null } {
  const outcome = convert(JSON.parse(text));
  return { text: JSON.stringify(outcome), userId: userIdOf({ outcome }) };
}

function convert(earlier: EarlierOutcome): StoredOutcome["outcome"] {
  if ("users" in earlier) return toStoredImport(earlier.users);
  if (!("refusal" in earlier)) return earlier;
  const { type, detail } = earlier.refusal;
  return { problem: { type, detail } };
}
