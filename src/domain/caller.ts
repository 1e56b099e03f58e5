import { type Scope, scopes } from "../contract/keys/key.ts";

/** Who makes a change: a key, a request without a key, a command on this machine, or the service itself. */
export type Actor = KeyActor | { readonly type: "anonymous" | "command" | "system" };

/** A stored key, or the key in ROSTER_API_KEY. Responses and the log have the id of either. */
export interface KeyActor {
  readonly type: "key" | "environment";
  readonly id: number;
}

/** The key in ROSTER_API_KEY. Stored keys have higher ids. */
export const environmentActor: KeyActor = { type: "environment", id: 0 };

export function toKeyActor(id: number): KeyActor {
  return id === environmentActor.id ? environmentActor : { type: "key", id };
}

/** The id of the actor's key. Undefined for an actor without a key. */
export function keyIdOf(actor: Actor): number | undefined {
  return "id" in actor ? actor.id : undefined;
}

export function isSameActor(one: Actor, other: Actor): boolean {
  return one.type === other.type && keyIdOf(one) === keyIdOf(other);
}

/** Who makes a change, and in which request. */
export interface Origin {
  readonly actor: Actor;
  /** Undefined for a change without a request. */
  readonly requestId?: string;
}

export const anonymousOrigin: Origin = { actor: { type: "anonymous" } };
export const commandOrigin: Origin = { actor: { type: "command" } };
export const systemOrigin: Origin = { actor: { type: "system" } };

/** The program or person behind a request. */
export interface Caller {
  /** Logged, and stored with every change. */
  readonly actor: Actor;
  /** The name of the caller's key. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Every caller before authentication. */
export const unknownCaller: Caller = { actor: anonymousOrigin.actor, name: "", scopes: [] };

/** Any caller on this machine while no key exists. It has every scope so that it can create the first key. */
export const localCaller: Caller = { actor: anonymousOrigin.actor, name: "", scopes };

/**
 * Any caller if ROSTER_AUTH=off. It cannot create keys: they would stay valid after authentication is turned on
 * again.
 */
export const publicCaller: Caller = {
  actor: anonymousOrigin.actor,
  name: "",
  scopes: ["users:read", "users:write", "users:purge", "groups:read", "groups:write", "events:read"],
};
