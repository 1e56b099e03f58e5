import type { Invariant } from "../invariant.ts";
import type { Change, Observation } from "../observation.ts";

export class VersionsInOrder implements Invariant {
  readonly name = "The versions of a user follow each other without a gap";
  readonly #last = new Map<number, Change>();

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "committed" || observation.change.subject.type !== "user") return undefined;
    const { change: event } = observation;
    const before = this.#last.get(event.subject.id);
    this.#last.set(event.subject.id, event);
    const expected = nextVersion(before, event.type);
    return event.version === expected
      ? undefined
      : `${event.type} of user ${event.subject.id} has version ${event.version} after ${before?.type ?? "nothing"} with version ${before?.version ?? "none"}`;
  }
}

/** Undefined if the event must not happen now. */
function nextVersion(before: Change | undefined, type: string): number | undefined {
  if (type === "user.created") return before ? undefined : 1;
  if (!before || before.type === "user.purged") return undefined;
  const { version } = before;
  const isDeleted = before.type === "user.deleted";
  switch (type) {
    case "user.updated":
      return isDeleted ? undefined : (version ?? 0) + 1;
    case "user.deleted":
      return isDeleted ? undefined : (version ?? 0);
    case "user.restored":
      return isDeleted ? (version ?? 0) + 1 : undefined;
    case "user.purged":
      return isDeleted ? (version ?? 0) : undefined;
    default:
      return undefined;
  }
}
