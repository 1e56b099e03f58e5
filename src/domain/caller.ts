import { type Scope, scopes } from "../contract/key.ts";
import type { Actor } from "./store.ts";

/** Whoever sent a request, as far as it matters to what may be done. */
export interface Caller {
  /** What is stored with a change, and logged. */
  readonly actor: Actor;
  /** Of its key. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Whom nothing is known of, and who may do nothing. */
export const unknownCaller: Caller = { actor: null, name: "", scopes: [] };

/** Anybody on this machine, while no key exists: the first key is made so. */
export const localCaller: Caller = { actor: null, name: "", scopes };

/**
 * Anybody who reaches the port, because the one who runs the service said so. Not to make keys: they would still be
 * good when the port is closed again.
 */
export const publicCaller: Caller = { actor: null, name: "", scopes: ["users:read", "users:write"] };
