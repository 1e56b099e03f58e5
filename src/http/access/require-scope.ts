import type { Scope } from "../../contract/keys/key.ts";
import type { AccessRule, Operation } from "../../contract/operation.ts";
import { groupParameter } from "../../contract/users/list-parameters.ts";
import type { Caller } from "../../domain/caller.ts";
import type { ListQuery } from "../../domain/lists/listing.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { HttpProblemError } from "../problem-response.ts";
import type { RequestContext } from "../request-context.ts";

type ScopedCaller = Pick<Caller, "scopes">;

export function hasScope({ scopes }: ScopedCaller, scope: Scope): boolean {
  return scopes.includes(scope);
}

/** Whether responses may tell the caller which users there are, and what is in them. */
export function mayReadUsers(caller: ScopedCaller): boolean {
  return hasScope(caller, "users:read");
}

/** Throws `insufficient-scope` if the caller lacks a scope that every request for the operation needs. */
export function requireAccess(caller: ScopedCaller, { access }: AccessRule): void {
  if (access === "public" || access === "authenticated") return;
  for (const scope of access) requireScope(caller, scope);
}

/** Throws `key-required` for a session or an access token: what the request does, or returns, would outlive a stolen one. */
export function requireKey({ authentication }: RequestContext): void {
  if (authentication.auth === "session" || authentication.auth === "token")
    throw new ProblemError("key-required");
}

/** Throws `insufficient-scope` or `key-required` if the caller lacks what the operation needs for a body with this member. */
export function requireForMember<Members extends NonNullable<NonNullable<Operation["request"]>["members"]>>(
  context: RequestContext,
  { request: { members } }: { readonly request: { readonly members: Members } },
  member: keyof Members & string,
): void {
  const needs = members[member];
  if (needs && "scopes" in needs) for (const scope of needs.scopes) requireScope(context.caller, scope);
  else requireKey(context);
}

/** Throws `insufficient-scope` if the list selects members of groups, and the caller must not read groups. */
export function requireForMemberships(
  { caller }: RequestContext,
  { filters }: Pick<ListQuery, "filters">,
): void {
  if (filters.some(({ kind }) => kind === "membership")) requireScope(caller, groupParameter.needs.scope);
}

/** Throws `insufficient-scope` if the caller lacks the scope, or all of several. */
export function requireScope({ scopes }: ScopedCaller, needed: Scope | readonly Scope[]): void {
  // Most operations need one scope: no array and no function for them.
  if (typeof needed === "string" ? scopes.includes(needed) : needed.some((scope) => scopes.includes(scope)))
    return;
  const anyOf = typeof needed === "string" ? [needed] : needed;
  throw new HttpProblemError(
    "insufficient-scope",
    `A key with the scope ${anyOf.join(" or ")} is required.`,
    {
      "www-authenticate": `Bearer realm="roster", error="insufficient_scope", scope="${anyOf[0]}"`,
    },
  );
}
