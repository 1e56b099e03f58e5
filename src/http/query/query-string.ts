import { listLimits, listParameterNames } from "../../contract/listing.ts";
import { type FieldError, summarizeErrors } from "../../contract/problems.ts";
import { ProblemError } from "../../domain/problem-error.ts";

/** The query string of a URL, without the question mark. */
export function readQueryString(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** A query string can have thousands of errors. */
const MAX_ERRORS = 100;

/** The problem of a query string with errors. An error without a parameter concerns the whole query string. */
export function invalidQuery(allErrors: readonly FieldError[]): ProblemError {
  const errors = allErrors.slice(0, MAX_ERRORS);
  return new ProblemError("invalid-query", summarizeErrors(errors), errors);
}

/** More than any operation supports, with those of a list by the most fields. */
const MAX_NAMES = listParameterNames.length + listLimits.filterFields + 1;

/** The values of each query parameter, in order. */
export type Parameters = Map<string, string[]>;

/** Notes an error of a parameter. An empty name stands for the whole query string. */
export type AddError = (parameter: string, detail: string, position?: number) => undefined;

/** URLSearchParams would replace invalid percent-encoded UTF-8. This rejects it. Ends when there are more names than any operation supports. */
export function parseParameters(queryString: string, addError: AddError): Parameters {
  const parameters: Parameters = new Map();
  for (const pair of queryString.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const values = name === undefined ? undefined : parameters.get(name);
    if (name === undefined || value === undefined) addError(name ?? "", "Send valid percent-encoded UTF-8.");
    else if (value.includes("\u0000")) addError(name, "U+0000 is not allowed.");
    else if (values) values.push(value);
    else if (parameters.set(name, [value]).size === MAX_NAMES) break;
  }
  return parameters;
}

/** `after` and `offset`, which choose where a page begins; and encoded names, which may be the same. */
const MAY_HAVE_POSITION = /after|offset|%/;

/** A query string in two parts: the pairs that say where a page begins, and the rest, which all pages of a list have in common. */
export function splitPosition(queryString: string): { position: string; rest: string } {
  if (!MAY_HAVE_POSITION.test(queryString)) return { position: "", rest: queryString };
  const position: string[] = [];
  const rest: string[] = [];
  for (const pair of queryString.split("&")) if (pair !== "") (isPosition(pair) ? position : rest).push(pair);
  return { position: position.join("&"), rest: rest.join("&") };
}

function isPosition(pair: string): boolean {
  const equals = pair.indexOf("=");
  const name = decode(equals < 0 ? pair : pair.slice(0, equals));
  return name === "after" || name === "offset";
}

const ENCODED = /[%+]/;

function decode(text: string): string | undefined {
  if (!ENCODED.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** Parses parameters with a function that notes their errors. Throws `invalid-query` with every error. */
export function collectErrors<T>(parse: (addError: AddError) => T): T {
  const errors: FieldError[] = [];
  const parsed = parse((parameter, detail, position) => {
    errors.push({ parameter, detail, ...(position !== undefined && { position }) });
    return undefined;
  });
  if (errors.length > 0) throw invalidQuery(errors);
  return parsed;
}
