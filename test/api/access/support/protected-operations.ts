import { scopes } from "../../../../src/contract/keys/key.ts";
import { listScopes, type Operation } from "../../../../src/contract/operation.ts";
import { operations } from "../../../../src/contract/operations.ts";
import type { ProblemType } from "../../../../src/contract/problems.ts";
import { SCIM_PREFIX } from "../../../../src/contract/scim/scim.ts";
import { scimOperations } from "../../../../src/contract/scim/scim-operations.ts";
import type { TestRequest } from "../../../support/call.ts";
import type { AccessRequirement } from "./access-rules.ts";

/** An operation that needs a key, with the example request of the contract. */
export interface ProtectedOperation extends AccessRequirement {
  readonly name: string;
  readonly method: string;
  readonly resource: "users" | "deleted-users" | "groups" | "webhooks" | "keys" | "service";
  /** Whether the path has an id. */
  readonly hasId: boolean;
  readonly isScim: boolean;
  /** The problem of a request that is allowed, if there is no other answer. */
  readonly answer?: ProblemType;
  /** Whether a request that succeeds is logged at level info. */
  readonly logged: boolean;
  readonly toRequest: (id: number) => { readonly path: string } & TestRequest;
}

let uniqueCount = 0;

/**
 * Every operation that needs a key. Each GET also appears as HEAD. A query or a member of the body that needs more makes a request of
 * its own.
 */
export const protectedOperations: readonly ProtectedOperation[] = [
  ...Object.values<Operation>(operations),
  ...scimOperations,
].flatMap((operation) => {
  const { id, method, access, parameters, request, keyOnly } = operation;
  if (access === "public") return [];
  const always = {
    needs: listScopes(operation).flatMap(({ anyOf, query, member }) => ((query ?? member) ? [] : [anyOf])),
    ...(keyOnly && { keyOnly }),
  };
  const queries = parameters.flatMap(({ needs }) => needs ?? []);
  const members = Object.entries(request?.members ?? {});
  return [
    describeCall(operation, always, id, method),
    ...(method === "GET" ? [describeCall(operation, always, `${id} by HEAD`, "HEAD")] : []),
    ...queries.map(({ scope, query }) => {
      const rule = { ...always, needs: [...always.needs, [scope]] };
      return describeCall(operation, rule, `${id} with ${query}`, method, { query });
    }),
    ...members.map(([member, needs]) => {
      const rule =
        "scopes" in needs
          ? { ...always, needs: [...always.needs, ...needs.scopes.map((scope) => [scope])] }
          : { ...always, ...needs };
      return describeCall(operation, rule, `${id} with ${member}`, method, { member });
    }),
  ];
});

function describeCall(
  { id, path, tag, request, parameters, logged, problems }: Operation,
  rule: Pick<AccessRequirement, "needs" | "keyOnly">,
  name: string,
  method: string,
  { query, member }: { readonly query?: string; readonly member?: string } = {},
): ProtectedOperation {
  const examples = Object.values(request?.examples ?? {});
  const example = examples.find((body) => member === undefined || (isRecord(body) && member in body));
  if (member !== undefined && example === undefined) throw new Error(`${id} has no example with ${member}.`);
  const isScim = path.startsWith(SCIM_PREFIX);
  const formatId = (resourceId: number) => (isScim && tag === "groups" ? `g${resourceId}` : resourceId);
  return {
    ...rule,
    name,
    isScim,
    ...(problems.includes("not-implemented") && { answer: "not-implemented" as const }),
    method,
    resource: findResource(path, tag),
    grantedScopes: scopes.filter((scope) => readScopes(example).includes(scope)),
    hasId: path.includes("{id}"),
    logged: logged === true && !query?.includes("dryRun=true"),
    toRequest: (id) => ({
      method,
      path:
        path.replace(/\{(\w+)\}/g, (_, part: string) =>
          String(part === "id" ? formatId(id) : parameters.find(({ name }) => name === part)?.example),
        ) + (query === undefined ? "" : `?${query}`),
      ...(request !== undefined && { headers: { "content-type": request.types[0] ?? "" } }),
      ...(typeof example === "string" ? { body: example } : { json: withUniqueValues(example, tag) }),
    }),
  };
}

function findResource(path: string, tag: Operation["tag"]): ProtectedOperation["resource"] {
  if (path.startsWith("/api/deleted-users/")) return "deleted-users";
  return tag === "events" || tag === "schema" ? "users" : tag;
}

function readScopes(example: unknown): unknown[] {
  const grantedScopes = isRecord(example) ? example.scopes : undefined;
  return Array.isArray(grantedScopes) ? grantedScopes : [];
}

/** The example with a unique email, user name or name of a group, so that it can be sent again. */
function withUniqueValues(example: unknown, tag: Operation["tag"]): unknown {
  if (!isRecord(example)) return example;
  if (example.email !== undefined) return { ...example, email: `example-${++uniqueCount}@example.com` };
  const unique = ["userName", "displayName", ...(tag === "groups" ? ["name"] : [])];
  const name = unique.find((each) => example[each] !== undefined);
  return name === undefined ? example : { ...example, [name]: `Example ${++uniqueCount}` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
