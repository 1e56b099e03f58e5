import type { RosterEvent } from "../../client/index.ts";
import { actorFilter, type ChangedField, changedFields, subjectFilter } from "./describe-event.ts";

/** Fewer events stay single entries. */
const MIN_EVENTS = 4;
/** Requests belong together if each follows this soon after the one before: those of a script, or the parts of an import. */
const PAUSE_MS = 30_000;

/** An entry of the feed: one event, or a burst of one caller. */
export type FeedEntry =
  | { readonly burst: false; readonly event: RosterEvent }
  | { readonly burst: true; readonly events: Run };

/** A list of events that is not empty. */
type Run = readonly [RosterEvent, ...RosterEvent[]];

/**
 * Folds consecutive events of the same type and caller. More events before or after these change only the entry that they belong
 * to.
 */
export function foldEvents(events: readonly RosterEvent[]): FeedEntry[] {
  const requests = mergeRuns(
    events.map((event): Run => [event]),
    ([a], [b]) => isSameKind(a, b) && a.requestId !== null && a.requestId === b.requestId,
  );
  return mergeRuns(requests, continues).flatMap((run): FeedEntry[] =>
    run.length < MIN_EVENTS ? run.map((event) => ({ burst: false, event })) : [{ burst: true, events: run }],
  );
}

/** Merges each run with the one before it, if they belong together. The test gets neighbours that are not merged yet. */
function mergeRuns(runs: readonly Run[], belongTogether: (a: Run, b: Run) => boolean): Run[] {
  const merged: [RosterEvent, ...RosterEvent[]][] = [];
  let before: Run | undefined;
  for (const run of runs) {
    const last = merged.at(-1);
    if (last && before && belongTogether(before, run)) last.push(...run);
    else merged.push([...run]);
    before = run;
  }
  return merged;
}

/** Whether a request continues the work of the one before. A change of many users is an entry of its own beside single ones. */
function continues(a: Run, b: Run): boolean {
  const [last, next] = [a.at(-1) ?? a[0], b[0]];
  if (!isSameKind(last, next) || a.length > 1 !== b.length > 1) return false;
  return Math.abs(Date.parse(last.time) - Date.parse(next.time)) <= PAUSE_MS;
}

function isSameKind(a: RosterEvent, b: RosterEvent): boolean {
  return a.type === b.type && actorFilter(a.actor) === actorFilter(b.actor);
}

/** How many users, keys or webhooks the events are about. */
export function countSubjects(events: readonly RosterEvent[]): number {
  return new Set(events.map(subjectFilter)).size;
}

/** A field that every event of a burst has set to the same value. */
export interface SharedChange extends ChangedField {
  readonly hasManyBefore: boolean;
}

export function sharedChanges([first, ...others]: readonly RosterEvent[]): SharedChange[] {
  if (!first) return [];
  return changedFields(first).flatMap((change) => {
    const same = others.map((event) => changedFields(event).find(({ field }) => field === change.field));
    if (!same.every((other) => other && isSame(other.to, change.to))) return [];
    return [{ ...change, hasManyBefore: !same.every((other) => isSame(other?.from, change.from)) }];
  });
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
