import type { Scope } from "../../contract/keys/key.ts";
import type { Caller } from "../../domain/caller.ts";
import { HttpProblemError } from "../problem-response.ts";

/** Throws `insufficient-scope` if the caller lacks the scope. */
export function requireScope({ scopes }: Pick<Caller, "scopes">, scope: Scope): void {
  if (scopes.includes(scope)) return;
  const challenge = `Bearer realm="roster", error="insufficient_scope", scope="${scope}"`;
  throw new HttpProblemError("insufficient-scope", `A key with the scope ${scope} is required.`, {
    "www-authenticate": challenge,
  });
}
