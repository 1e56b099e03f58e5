import { JsonStructure } from "../contract/json-structure.ts";
import type { ProblemType } from "../contract/problems.ts";
import { ProblemError } from "./problem-error.ts";

/** Many more levels than a record may have. Parsing this many takes a fraction of a millisecond. */
export const MAX_PARSED_LEVELS = 1024;

/** Parses JSON. Fails with `malformed-json`, or with `invalid` if the JSON is nested too deeply to parse. */
export function parseJsonText(text: string, subject: string, invalid: ProblemType = "invalid-user"): unknown {
  if (hasManyBrackets(text) && isNestedTooDeeply(text)) throw nestedTooDeeply(subject, invalid);
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(subject);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The text of a body. Throws `malformed-json` if it is empty or not UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new ProblemError("malformed-json", "The body is empty.");
  try {
    return decoder.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

const partDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A part of what is known to be UTF-8. */
export function decodePart(bytes: Uint8Array): string {
  return partDecoder.decode(bytes);
}

export function notUtf8(): ProblemError {
  return new ProblemError("malformed-json", "The body is not valid UTF-8.");
}

export function nestedTooDeeply(subject: string, invalid: ProblemType): ProblemError {
  return new ProblemError(invalid, `The ${subject} is nested too deeply.`, [
    { pointer: "", detail: "Use fewer levels of nesting." },
  ]);
}

export function notJson(subject: string): ProblemError {
  return new ProblemError("malformed-json", `The ${subject} is not one complete JSON document.`);
}

/** False for nearly every text, and then as fast as `indexOf`. */
function hasManyBrackets(text: string): boolean {
  if (text.length <= MAX_PARSED_LEVELS) return false;
  let count = 0;
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++count > MAX_PARSED_LEVELS) return true;
    }
  }
  return false;
}

function isNestedTooDeeply(text: string): boolean {
  const json = new JsonStructure();
  for (let at = 0; at < text.length; at++) {
    json.read(text.charCodeAt(at));
    if (json.depth > MAX_PARSED_LEVELS) return true;
  }
  return false;
}
