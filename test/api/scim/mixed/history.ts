import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../../../src/contract/json.ts";
import type { MixedRequest } from "./changes.ts";
import type { Effect, MixedModel, ModelEvent } from "./model.ts";
import type { Outcome } from "./send.ts";

/** What a request did, as its caller and the events say. */
export interface Observed {
  readonly request: MixedRequest;
  readonly outcomes: readonly Outcome[];
  readonly events: readonly ModelEvent[];
}

/** What the API shows after the requests. */
export interface Records {
  /** By id, without their times. */
  readonly users: readonly JsonObject[];
  readonly groups: readonly JsonObject[];
}

/**
 * The model after these requests, in an order in which they do what was observed and lead to these records. The changes of one request
 * stay in order, and those of others can come between them. Undefined if there is no such order.
 */
export function findOrder(
  model: MixedModel,
  observed: readonly Observed[],
  records: Records,
): MixedModel | undefined {
  if (observed.every(({ request }) => request.changes.length === 0)) {
    const isSame = isDeepStrictEqual(model.records, records);
    return isSame && observed.every(({ events }) => events.length === 0) ? model : undefined;
  }
  for (const isRetried of [false, true]) {
    for (const [index, each] of observed.entries()) {
      const next = model.copy();
      const rest = applyFirst(next, each, isRetried);
      const found = rest && findOrder(next, observed.with(index, rest), records);
      if (found) return found;
    }
  }
  return undefined;
}

/** What is left of a request after its first change. Undefined if the model does something else. */
function applyFirst(
  model: MixedModel,
  { request, outcomes, events }: Observed,
  isRetried: boolean,
): Observed | undefined {
  const [change, ...changes] = request.changes;
  const [outcome, ...others] = outcomes;
  if (!change || !outcome) return undefined;
  const effect = model.apply(change, outcome.createdId, isRetried);
  if (!isExpected(effect, outcome)) return undefined;
  const left = without(events, effect.events);
  return left && { request: { ...request, changes }, outcomes: others, events: left };
}

function isExpected({ status, statuses }: Effect, outcome: Outcome): boolean {
  return status === outcome.status && isDeepStrictEqual(statuses, outcome.statuses);
}

/** The events without these. Undefined if one of these is missing. */
function without(
  events: readonly ModelEvent[],
  removed: readonly ModelEvent[],
): readonly ModelEvent[] | undefined {
  let left = events;
  for (const event of removed) {
    const index = left.findIndex((each) => isDeepStrictEqual(each, event));
    if (index < 0) return undefined;
    left = left.toSpliced(index, 1);
  }
  return left;
}

/** What the model says about each change, and the records after them, if they come one after the other. */
export function predict(model: MixedModel, observed: readonly Observed[]): [Effect[], Records] {
  const copy = model.copy();
  const effects = observed.flatMap(({ request, outcomes }) =>
    request.changes.map((change, index) => copy.apply(change, outcomes[index]?.createdId ?? 0)),
  );
  return [effects, copy.records];
}
