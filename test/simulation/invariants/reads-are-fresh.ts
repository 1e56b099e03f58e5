import type { Invariant } from "../invariant.ts";
import type { Call, Change, Observation } from "../observation.ts";

/** A user between two commits. */
interface State {
  readonly since: number;
  /** Undefined if the user does not exist, or is deleted. */
  readonly version: number | undefined;
}

const PATH = /^\/api\/users\/(\d+)$/;

export class ReadsAreFresh implements Invariant {
  readonly name = "A read shows a state that the user had between its request and its answer";
  readonly #states = new Map<number, State[]>();

  observe(observation: Observation): string | undefined {
    if (observation.kind === "committed") this.#record(observation.change);
    if (observation.kind !== "answered" || observation.call.method !== "GET" || !observation.answer)
      return undefined;
    const id = PATH.exec(observation.call.path)?.[1];
    const { status, text, at } = observation.answer;
    if (id === undefined || (status !== 200 && status !== 404)) return undefined;
    return this.#checkRead(
      observation.call,
      Number(id),
      status === 200 ? JSON.parse(text).version : undefined,
      at,
    );
  }

  #record({ type, subject, version, at }: Change): void {
    if (subject.type !== "user") return;
    const states = this.#states.get(subject.id) ?? [];
    const isGone = type === "user.deleted" || type === "user.purged";
    states.push({ since: at, version: isGone ? undefined : (version ?? undefined) });
    this.#states.set(subject.id, states);
  }

  #checkRead(
    { requestId, sentAt }: Call,
    id: number,
    version: number | undefined,
    at: number,
  ): string | undefined {
    const states = [{ since: 0, version: undefined }, ...(this.#states.get(id) ?? [])];
    const possible = states.filter(
      ({ since }, index) => since <= at && (states[index + 1]?.since ?? at) >= sentAt,
    );
    if (possible.some((state) => state.version === version)) return undefined;
    return `${requestId} read version ${version ?? "none"} of user ${id}, which had version ${possible.map((state) => state.version ?? "none").join(" or ")}`;
  }
}
