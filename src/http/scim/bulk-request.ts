import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { scimLimits } from "../../contract/scim/scim.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { ScimError } from "../../scim/scim-error.ts";

/** A request with many operations, as it was sent (RFC 7644, section 3.7). */
export interface BulkRequest {
  /** After so many errors, no further operation begins. */
  readonly failOnErrors: number;
  readonly operations: readonly JsonObject[];
}

/** Fails with `invalidSyntax`, `invalidValue` or `too-large`. */
export function parseBulkRequest(body: unknown): BulkRequest {
  const members = isObject(body) ? body : undefined;
  const operations = members && readMember(members, "Operations");
  if (!members || !Array.isArray(operations))
    throw new ScimError("invalidSyntax", "Operations must be a list of operations.");
  if (operations.length > scimLimits.bulkOperations)
    throw new ProblemError(
      "too-large",
      `Send at most ${scimLimits.bulkOperations} operations in one request.`,
    );
  return {
    failOnErrors: parseFailOnErrors(readMember(members, "failOnErrors") ?? undefined),
    operations: operations.map((operation) => (isObject(operation) ? operation : {})),
  };
}

function parseFailOnErrors(value: Json | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw new ScimError("invalidValue", "failOnErrors must be an integer of at least 1.");
}

/** One operation of a bulk request. */
export interface BulkOperation {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** `users` or `groups`. */
  readonly endpoint: string;
  /** The id of the resource, or the reference to it. Undefined for POST. */
  readonly id: string | undefined;
  readonly bulkId: string | undefined;
  /** An ETag, as in If-Match. */
  readonly version: string | undefined;
  readonly data: Json | undefined;
}

const PATH = /^\/?(users|groups)(?:\/([^/?#]+))?\/?$/i;
const methods = ["POST", "PUT", "PATCH", "DELETE"] as const;

/** Fails with `invalidSyntax`. */
export function parseBulkOperation(operation: JsonObject): BulkOperation {
  const [name, path] = [readText(operation, "method"), readText(operation, "path")];
  const method = methods.find((each) => each === name?.toUpperCase());
  if (!method) throw invalid("method must be POST, PUT, PATCH or DELETE.");
  const [, endpoint, id] = PATH.exec(path ?? "") ?? [];
  if (endpoint === undefined) throw invalid("path must be /Users or /Groups, with an id except for POST.");
  if ((method === "POST") !== (id === undefined))
    throw invalid(method === "POST" ? "The path of a POST has no id." : `The path of a ${method} has an id.`);
  return {
    method,
    endpoint: endpoint.toLowerCase(),
    id,
    bulkId: readText(operation, "bulkId"),
    version: readText(operation, "version"),
    data: readMember(operation, "data"),
  };
}

function readText(members: JsonObject, name: string): string | undefined {
  const value = readMember(members, name) ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`${name} must be text.`);
}

/** A member of a message. Names match in any case. */
export function readMember(members: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(members, name)) return members[name];
  const lowerCase = name.toLowerCase();
  const found = Object.keys(members).find((each) => each.toLowerCase() === lowerCase);
  return found === undefined ? undefined : members[found];
}

function invalid(detail: string): ScimError {
  return new ScimError("invalidSyntax", detail);
}
