import { type Actor, anonymousOrigin, commandOrigin, systemOrigin, toKeyActor } from "../../domain/caller.ts";

/**
 * An actor in a column: the id of a key, 0 for the key in ROSTER_API_KEY, null for a request without a key, -1 for a command, -2 for
 * the service itself.
 */
export type StoredActor = number | null;

const COMMAND = -1;
const SYSTEM = -2;

export function toStoredActor(actor: Actor): StoredActor {
  if ("id" in actor) return actor.id;
  if (actor.type === "anonymous") return null;
  return actor.type === "command" ? COMMAND : SYSTEM;
}

export function fromStoredActor(stored: StoredActor): Actor {
  if (stored === null) return anonymousOrigin.actor;
  if (stored >= 0) return toKeyActor(stored);
  return stored === COMMAND ? commandOrigin.actor : systemOrigin.actor;
}
