import type { Scope } from "../../../src/contract/key.ts";
import type { ProblemType } from "../../../src/contract/problems.ts";

/** How a service was started, and on what. */
export interface ServiceSetup {
  readonly auth: "auto" | "required" | "off";
  readonly place: "on loopback" | "on loopback behind a proxy" | "for other machines";
  readonly keys: "no key exists" | "keys exist" | "the environment's is the only key";
}

export type Mode = "open" | "required" | "off";

/** What a request comes to. */
export type Outcome = "done" | ProblemType;

/** What a caller shows of itself. */
export interface CredentialState {
  /** Why it is good for nothing, where a key is asked for. */
  readonly refused?: "unauthenticated" | "key-expired" | "key-revoked";
  readonly scopes: readonly Scope[];
}

/** What a request takes. */
export interface AccessRequirement {
  readonly access: Scope | "authenticated";
  /** The scopes that it would give to a new key. */
  readonly grantedScopes: readonly Scope[];
}

/** `auto` is open as long as nobody but this machine can call and no key exists. Else what was said is what is done. */
export function expectedMode({ auth, place, keys }: ServiceSetup): Mode {
  if (auth !== "auto") return auth;
  return place === "on loopback" && keys === "no key exists" ? "open" : "required";
}

/**
 * Open, everybody may do everything. Off, everybody may do everything but manage keys. Otherwise a caller has to be
 * known, and to have the scope of what it does and every scope that it gives.
 */
export function expectedOutcome(
  mode: Mode,
  { access, grantedScopes: gives }: AccessRequirement,
  { refused, scopes }: CredentialState,
): Outcome {
  if (mode === "open") return "done";
  if (mode === "off") return access === "keys:manage" ? "insufficient-scope" : "done";
  if (refused) return refused;
  const needed = access === "authenticated" ? gives : [access, ...gives];
  return needed.every((scope) => scopes.includes(scope)) ? "done" : "insufficient-scope";
}
