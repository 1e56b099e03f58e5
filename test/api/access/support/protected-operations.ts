import { type Scope, scopes } from "../../../../src/contract/keys/key.ts";
import { type AdditionalScope, conditionOf, type Operation } from "../../../../src/contract/operation.ts";
import { operations } from "../../../../src/contract/operations.ts";
import type { AccessRequirement } from "./access-rules.ts";
import type { TestRequest } from "./test-node.ts";

/** An operation that needs a key, with the example request of the contract. */
export interface ProtectedOperation extends AccessRequirement {
  readonly name: string;
  readonly method: string;
  readonly resource: "users" | "deleted-users" | "webhooks" | "keys" | "service";
  /** Whether the path has an id. */
  readonly hasId: boolean;
  readonly toRequest: (id: number) => TestRequest;
}

let emailCount = 0;

/**
 * Every operation that needs a key. Each GET also appears as HEAD. A parameter or a member that needs another scope makes a request
 * of its own.
 */
export const protectedOperations: readonly ProtectedOperation[] = Object.values<Operation>(
  operations,
).flatMap((operation) => {
  const { id, method, access } = operation;
  if (access === "public") return [];
  const call = describeCall(operation, access, id, method);
  const conditional = (operation.additionalScopes ?? []).filter((each) => conditionOf(each) !== undefined);
  return [
    call,
    ...(method === "GET" ? [describeCall(operation, access, `${id} by HEAD`, "HEAD")] : []),
    ...conditional.map((additional) =>
      describeCall(operation, access, `${id} with ${conditionOf(additional)}`, method, additional),
    ),
  ];
});

function describeCall(
  { path, tag, request, keyOnly, alternativeScope, additionalScopes = [], parameters }: Operation,
  access: Scope | "authenticated",
  name: string,
  method: string,
  additional?: AdditionalScope,
): ProtectedOperation {
  const examples = Object.values(request?.examples ?? {});
  const { query, member } = additional ?? {};
  const example = examples.find((body) => member === undefined || (isRecord(body) && member in body));
  const needed = additionalScopes.filter((each) => each === additional || conditionOf(each) === undefined);
  return {
    name,
    method,
    access,
    ...(keyOnly && { keyOnly }),
    ...(alternativeScope && { alternativeScope }),
    additionalScopes: needed.map(({ scope }) => scope),
    resource: findResource(path, tag),
    grantedScopes: scopes.filter((scope) => readScopes(example).includes(scope)),
    hasId: path.includes("{id}"),
    toRequest: (id) => ({
      method,
      path:
        path.replace(/\{(\w+)\}/g, (_, part: string) =>
          String(part === "id" ? id : parameters.find(({ name }) => name === part)?.example),
        ) + (query === undefined ? "" : `?${query}`),
      ...(request !== undefined && { headers: { "content-type": request.types[0] ?? "" } }),
      ...(example !== undefined && { body: withUniqueEmail(example) }),
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

/** The example with a unique email, so that it can be sent again. */
function withUniqueEmail(example: unknown): unknown {
  if (!isRecord(example) || example.email === undefined) return example;
  return { ...example, email: `example-${++emailCount}@example.com` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
