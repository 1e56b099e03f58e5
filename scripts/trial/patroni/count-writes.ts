import type { FollowedEvent } from "../../../test/support/consistency/check-events.ts";
import { type Operation, outcomeOf } from "../../../test/support/consistency/operation.ts";

/** How the writes that were sent in a period ended. */
export interface WriteCounts {
  acknowledged: number;
  /** The outcome is unknown: a 503 that says so, or no response. */
  inDoubt: number;
  /** Acknowledged, and without an event. */
  lost: number;
  /** With more than one event. */
  duplicated: number;
  /** Refused, and with an event. */
  late: number;
}

/** Compares the responses to writes that began in this time with the events in the database. */
export function countWrites(
  operations: readonly Operation[],
  feed: readonly FollowedEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): WriteCounts {
  const events = countEvents(feed);
  const counts = { acknowledged: 0, inDoubt: 0, lost: 0, duplicated: 0, late: 0 };
  for (const [write, attempts] of attemptsByWrite(operations)) {
    const begin = Math.min(...attempts.map(({ invoked }) => invoked));
    if (begin < from || begin >= to) continue;
    const outcomes = attempts.map(outcomeOf);
    const times = events.get(write) ?? 0;
    const isAcknowledged = outcomes.includes("done");
    const isInDoubt = outcomes.includes("unknown");
    if (isAcknowledged) counts.acknowledged++;
    if (isInDoubt) counts.inDoubt++;
    if (isAcknowledged && times === 0) counts.lost++;
    if (times > 1) counts.duplicated++;
    if (times > 0 && !isAcknowledged && !isInDoubt) counts.late++;
  }
  return counts;
}

/** Attempts with one Idempotency-Key have the same mark. All deletes of a user are one write: one of them succeeds. */
function attemptsByWrite(operations: readonly Operation[]): Map<string, Operation[]> {
  const writes = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { request } = operation;
    if (request.method === "GET") continue;
    const write = "body" in request ? `mark ${request.body.mark}` : `delete ${request.id}`;
    const known = writes.get(write);
    if (known) known.push(operation);
    else writes.set(write, [operation]);
  }
  return writes;
}

function countEvents(feed: readonly FollowedEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { type, subject, record } of feed) {
    const mark = record !== null && "mark" in record ? record.mark : undefined;
    const write = type === "user.deleted" ? `delete ${subject.id}` : `mark ${mark}`;
    counts.set(write, (counts.get(write) ?? 0) + 1);
  }
  return counts;
}
