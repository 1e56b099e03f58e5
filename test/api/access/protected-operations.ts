import { type Scope, scopes } from "../../../src/contract/key.ts";
import type { Operation } from "../../../src/contract/operation.ts";
import { operations } from "../../../src/contract/operations.ts";
import type { AccessRequirement } from "./access-rules.ts";
import type { TestRequest } from "./test-node.ts";

/** Something to do that is not for everybody, with the example that the contract itself gives of it. */
export interface ProtectedOperation extends AccessRequirement {
  readonly name: string;
  readonly method: string;
  readonly resource: "users" | "keys" | "service";
  /** Whether there is an id in the path. */
  readonly hasId: boolean;
  readonly toRequest: (id: number) => TestRequest;
}

let serial = 0;

/** Every operation of the contract that is not for everybody; each GET once more as HEAD. */
export const protectedOperations: readonly ProtectedOperation[] = Object.values<Operation>(
  operations,
).flatMap((operation) => {
  const { id, method, access } = operation;
  if (access === "public") return [];
  const deed = describeCall(operation, access, id, method);
  return method === "GET" ? [deed, describeCall(operation, access, `${id} by HEAD`, "HEAD")] : [deed];
});

function describeCall(
  { path, tag, request }: Operation,
  access: Scope | "authenticated",
  name: string,
  method: string,
): ProtectedOperation {
  const example = Object.values(request?.examples ?? {})[0];
  return {
    name,
    method,
    access,
    resource: tag,
    grantedScopes: scopes.filter((scope) => scopesIn(example).includes(scope)),
    hasId: path.includes("{id}"),
    toRequest: (id) => ({
      method,
      path: path.replace("{id}", String(id)),
      ...(example !== undefined && { body: unlike(example) }),
    }),
  };
}

function scopesIn(example: unknown): unknown[] {
  const given = isRecord(example) ? example.scopes : undefined;
  return Array.isArray(given) ? given : [];
}

/** The example, to be sent again and again: an email is taken once. */
function unlike(example: unknown): unknown {
  if (!isRecord(example) || example.email === undefined) return example;
  return { ...example, email: `example-${++serial}@example.com` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
