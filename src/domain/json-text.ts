import { ProblemError } from "./problem-error.ts";

/** What a JSON text says. Fails with `malformed-json`, and with `invalid-user` where it is nested beyond reason. */
export function parseJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // JSON that is nested so deep that it cannot be parsed is still JSON: the fault is in the record.
    if (error instanceof RangeError) {
      throw new ProblemError("invalid-user", `The ${what} is nested too deep.`, [
        { pointer: "", detail: "Nest it less." },
      ]);
    }
    throw new ProblemError("malformed-json", `The ${what} is not one complete JSON text.`);
  }
}
