import type { Scope } from "../../../../src/contract/keys/key.ts";
import type { ProblemType } from "../../../../src/contract/problems.ts";

/** The settings of a service, and the keys in its database. */
export interface ServiceSetup {
  readonly auth: "auto" | "required" | "off";
  readonly place: "on loopback" | "on loopback behind a proxy" | "for other machines";
  readonly keys: "no key exists" | "keys exist" | "the environment's is the only key";
}

export type Mode = "open" | "required" | "off";

/** The result of a request. */
export type Outcome = "done" | ProblemType;

/** The state of a key, a session or an access token. */
export interface CredentialState {
  /** The problem type if the credential is not valid. */
  readonly problemType?: "unauthenticated" | "key-expired" | "key-revoked";
  readonly scopes: readonly Scope[];
  /** Whether the credential is not a key, but stands for one. */
  readonly standsForKey?: true;
}

/** What an operation requires of its caller. */
export interface AccessRequirement {
  /** Sets of scopes: the caller needs one of each. Without a set, any caller with a valid credential may call. */
  readonly needs: readonly (readonly Scope[])[];
  /** Whether a session or an access token is not enough. */
  readonly keyOnly?: true;
  /** The scopes that the operation grants to a new key. */
  readonly grantedScopes: readonly Scope[];
}

/** `auto` is open while only this machine can call and no key exists. */
export function expectedMode({ auth, place, keys }: ServiceSetup): Mode {
  if (auth !== "auto") return auth;
  return place === "on loopback" && keys === "no key exists" ? "open" : "required";
}

/**
 * Open: every caller can do everything. Off: every caller can do everything except manage keys and webhooks. Required: the caller needs
 * a valid credential with the scope of the operation and with every scope that it grants. Some operations need the key itself.
 */
export function expectedOutcome(
  mode: Mode,
  { needs, keyOnly, grantedScopes }: AccessRequirement,
  { problemType, scopes, standsForKey }: CredentialState,
): Outcome {
  if (mode === "open") return "done";
  if (mode === "off")
    return needs.some(([scope]) => scope === "keys:manage" || scope === "webhooks:manage")
      ? "insufficient-scope"
      : "done";
  if (problemType) return problemType;
  const has = (scope: Scope) => scopes.includes(scope);
  if (!needs.every((anyOf) => anyOf.some(has))) return "insufficient-scope";
  if (keyOnly && standsForKey) return "key-required";
  return grantedScopes.every(has) ? "done" : "insufficient-scope";
}
