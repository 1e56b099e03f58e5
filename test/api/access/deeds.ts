import { type Scope, scopes } from "../../../src/contract/key.ts";
import type { Operation } from "../../../src/contract/operation.ts";
import { operations } from "../../../src/contract/operations.ts";
import type { Sent } from "./node.ts";
import type { Taken } from "./rule.ts";

/** Something to do that is not for everybody, with the example that the contract itself gives of it. */
export interface Deed extends Taken {
  readonly name: string;
  readonly method: string;
  readonly on: "users" | "keys" | "service";
  /** Whether there is an id in the path. */
  readonly named: boolean;
  readonly sent: (id: number) => Sent;
}

let serial = 0;

/** Every operation of the contract that is not for everybody; each GET once more as HEAD. */
export const deeds: readonly Deed[] = Object.values<Operation>(operations).flatMap((operation) => {
  const { id, method, access } = operation;
  if (access === "anybody") return [];
  const deed = deedOf(operation, access, id, method);
  return method === "GET" ? [deed, deedOf(operation, access, `${id} by HEAD`, "HEAD")] : [deed];
});

function deedOf(
  { path, tag, request }: Operation,
  access: Scope | "caller",
  name: string,
  method: string,
): Deed {
  const example = Object.values(request?.examples ?? {})[0];
  return {
    name,
    method,
    access,
    on: tag,
    gives: scopes.filter((scope) => scopesIn(example).includes(scope)),
    named: path.includes("{id}"),
    sent: (id) => ({
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
