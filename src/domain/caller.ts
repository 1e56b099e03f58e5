import { type Scope, scopes } from "../contract/keys/key.ts";

/**
 * Who makes a change: the id of a key, 0 for the key in ROSTER_API_KEY, null for a request without a key, -1 for a command on
 * this machine, -2 for the service itself.
 */
export type Actor = number | null;

export const ENVIRONMENT_KEY_ID = 0;
export const COMMAND_ACTOR = -1;
export const SYSTEM_ACTOR = -2;

/** Who makes a change, and in which request. */
export interface Origin {
  readonly actor: Actor;
  /** Undefined for a change without a request. */
  readonly requestId?: string;
}

/** A request without a key. */
export const anonymousOrigin: Origin = { actor: null };

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
export const publicCaller: Caller = {
  actor: null,
  name: "",
  scopes: ["users:read", "users:write", "users:purge", "events:read"],
};
