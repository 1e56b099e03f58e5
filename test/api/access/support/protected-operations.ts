import { type Scope, scopes } from "../../../../src/contract/keys/key.ts";
import type { Operation } from "../../../../src/contract/operation.ts";
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

/** Every operation that needs a key. Each GET also appears as HEAD. */
export const protectedOperations: readonly ProtectedOperation[] = Object.values<Operation>(
  operations,
).flatMap((operation) => {
  const { id, method, access } = operation;
  if (access === "public") return [];
  const call = describeCall(operation, access, id, method);
  return method === "GET" ? [call, describeCall(operation, access, `${id} by HEAD`, "HEAD")] : [call];
});

function describeCall(
  { path, tag, request, keyOnly, additionalScope, parameters }: Operation,
  access: Scope | "authenticated",
  name: string,
  method: string,
): ProtectedOperation {
  const example = Object.values(request?.examples ?? {})[0];
  return {
    name,
    method,
    access,
    ...(keyOnly && { keyOnly }),
    ...(additionalScope && { additionalScope }),
    resource: findResource(path, tag),
    grantedScopes: scopes.filter((scope) => readScopes(example).includes(scope)),
    hasId: path.includes("{id}"),
    toRequest: (id) => ({
      method,
      path: path.replace(/\{(\w+)\}/g, (_, part: string) =>
        String(part === "id" ? id : parameters.find(({ name }) => name === part)?.example),
      ),
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
