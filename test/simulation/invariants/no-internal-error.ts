import type { Invariant } from "../invariant.ts";
import type { Observation } from "../observation.ts";

export class NoInternalError implements Invariant {
  readonly name = "Nothing that a caller sends gives a 500";

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "answered" || observation.answer?.status !== 500) return undefined;
    const { requestId, method, path } = observation.call;
    return `${requestId}, ${method} ${path}, got ${observation.answer.text}`;
  }
}
