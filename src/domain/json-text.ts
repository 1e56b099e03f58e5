import { ProblemError } from "./problem-error.ts";

/** Parses JSON. Fails with `malformed-json`, or with `invalid-user` if the JSON is nested too deeply to parse. */
export function parseJsonText(text: string, subject: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's stack overflowed: the text may be valid JSON, but no valid record.
    if (error instanceof RangeError) {
      throw new ProblemError("invalid-user", `The ${subject} is nested too deeply.`, [
        { pointer: "", detail: "Use fewer levels of nesting." },
      ]);
    }
    throw new ProblemError("malformed-json", `The ${subject} is not one complete JSON document.`);
  }
}
