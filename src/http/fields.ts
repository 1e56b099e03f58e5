import { fieldLimits } from "../contract/field-schemas.ts";
import { operations } from "../contract/operations.ts";
import type { FieldError } from "../contract/problems.ts";
import type { Fields } from "../domain/fields.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { compressibleResponse } from "./compression/compressible.ts";
import {
  type AddError,
  invalidQuery,
  type Parameters,
  parseParameters,
  readQueryString,
} from "./query/query-string.ts";
import { pathParameter, type RequestContext } from "./request-context.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of custom fields. */
export function serveFields(
  router: Router,
  fields: Fields,
  findOwner: (context: RequestContext) => string,
): void {
  router.serve(operations.listFields, (context) => {
    readQuery(context, (parameters, addError) => rejectUnknown(parameters, [], addError));
    return andThen(fields.list(findOwner(context)), (found) => listResponse(context, found));
  });

  router.serve(operations.listFieldValues, (context) => {
    const prefix = readQuery(context, readPrefix);
    const values = fields.listValues(pathParameter(context, "name"), prefix, findOwner(context));
    return andThen(values, (found) => listResponse(context, found));
  });
}

function listResponse(context: RequestContext, items: readonly unknown[]): MaybePromise<Response> {
  return compressibleResponse(context, Buffer.from(JSON.stringify(items)), { vary: "Accept" });
}

/** Throws `invalid-query` with the errors that `read` adds. */
function readQuery<T>({ url }: RequestContext, read: (parameters: Parameters, addError: AddError) => T): T {
  const errors: FieldError[] = [];
  const addError: AddError = (parameter, detail) => {
    errors.push({ parameter, detail });
    return undefined;
  };
  const result = read(parseParameters(readQueryString(url), addError), addError);
  if (errors.length > 0) throw invalidQuery(errors);
  return result;
}

function readPrefix(parameters: Parameters, addError: AddError): string {
  rejectUnknown(parameters, ["prefix"], addError);
  const [prefix = "", ...more] = parameters.get("prefix") ?? [];
  if (more.length > 0) addError("prefix", "Send this parameter once.");
  const { prefixCharacters } = fieldLimits;
  if ([...prefix].length > prefixCharacters) {
    addError("prefix", `Enter at most ${prefixCharacters} characters.`);
  }
  return prefix;
}

function rejectUnknown(parameters: Parameters, names: readonly string[], addError: AddError): void {
  for (const name of parameters.keys()) {
    if (!names.includes(name)) addError(name, "Unknown parameter.");
  }
}
