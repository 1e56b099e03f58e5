import { type Scope, scopes } from "../contract/key.ts";

/** The id of the key behind a change: 0 for the key in ROSTER_API_KEY, null if the request had no key. */
export type Actor = number | null;

/** The program or person behind a request. */
export interface Caller {
  /** Logged, and stored with every change. */
  readonly actor: Actor;
  /** The name of the caller's key. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Every caller before authentication. */
export const unknownCaller: Caller = { actor: null, name: "", scopes: [] };

/** Any caller on this machine while no key exists. It has every scope so that it can create the first key. */
export const localCaller: Caller = { actor: null, name: "", scopes };

/**
 * Any caller if ROSTER_AUTH=off. It cannot create keys: they would stay valid after authentication is turned on
 * again.
 */
export const publicCaller: Caller = { actor: null, name: "", scopes: ["users:read", "users:write"] };
