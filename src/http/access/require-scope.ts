import type { Scope } from "../../contract/keys/key.ts";
import { type AccessRule, type AdditionalScope, conditionOf } from "../../contract/operation.ts";
import type { Caller } from "../../domain/caller.ts";
import { HttpProblemError } from "../problem-response.ts";

type ScopedCaller = Pick<Caller, "scopes">;

/** Whether responses may tell the caller which users there are, and what is in them. */
export function mayReadUsers({ scopes }: ScopedCaller): boolean {
  return scopes.includes("users:read");
}

/** Throws `insufficient-scope` if the caller lacks a scope that every request for the operation needs. */
export function requireAccess(
  caller: ScopedCaller,
  { access, alternativeScope, additionalScopes }: AccessRule,
): void {
  if (access === "public" || access === "authenticated") return;
  if (!alternativeScope || !caller.scopes.includes(alternativeScope))
    requireScope(caller, access, alternativeScope);
  if (!additionalScopes) return;
  for (const additional of additionalScopes) {
    if (conditionOf(additional) === undefined) requireScope(caller, additional.scope);
  }
}

/**
 * Throws `insufficient-scope` if the caller lacks the scope that requests with these parameters, or this member, need. The contract
 * says which scope.
 */
export function requireScopeWith<Rule extends { readonly additionalScopes: readonly AdditionalScope[] }>(
  caller: ScopedCaller,
  { additionalScopes }: Rule,
  condition: ConditionOf<Rule["additionalScopes"][number]>,
): void {
  for (const additional of additionalScopes) {
    if (conditionOf(additional) === condition) requireScope(caller, additional.scope);
  }
}

type ConditionOf<Additional> = Additional extends { query: infer Name } | { member: infer Name }
  ? Name
  : never;

/** Throws `insufficient-scope` if the caller lacks the scope. */
function requireScope({ scopes }: ScopedCaller, scope: Scope, alternative?: Scope): void {
  if (scopes.includes(scope)) return;
  const challenge = `Bearer realm="roster", error="insufficient_scope", scope="${scope}"`;
  const required = alternative ? `${scope} or ${alternative}` : scope;
  throw new HttpProblemError("insufficient-scope", `A key with the scope ${required} is required.`, {
    "www-authenticate": challenge,
  });
}
