import { findEmailAnomalies } from "./check-emails.ts";
import { checkUser, type UserResult } from "./check-user.ts";
import { earliestTime, type HistoryIndex, indexHistory, type Write } from "./index-history.ts";
import { describeOperation, type Operation, outcomeOf, problemType } from "./operation.ts";

/**
 * Finds contradictions to what Roster promises about single users: operations take effect one at a time between their
 * invocation and their completion, ids ascend and are never reused, an email belongs to one user, and all attempts with an
 * Idempotency-Key have one outcome. An operation without a response, or with a 503 that says so, may or may not have taken effect.
 * With any other 503 it takes no effect, and nothing begins after a 503.
 */
export function findAnomalies(operations: readonly Operation[]): string[] {
  const index = indexHistory(operations);
  const anomalies = [...index.anomalies, ...findIdAnomalies(index)];
  for (const write of index.writes.values()) anomalies.push(...findReplayAnomalies(write));
  const results = new Map<number, UserResult>();
  let earliestHiddenCreate = Number.POSITIVE_INFINITY;
  for (const write of index.hidden)
    if (write.request.method === "POST")
      earliestHiddenCreate = Math.min(earliestHiddenCreate, earliestTime(write));
  for (const [id, history] of index.users) {
    const result = checkUser(history, earliestHiddenCreate);
    results.set(id, result);
    anomalies.push(...result.anomalies);
  }
  // Without an order of each user's versions, nothing can be said about emails.
  return anomalies.length > 0 ? anomalies : findEmailAnomalies(index, results);
}

/** An id that was given to a later create must be higher. */
function findIdAnomalies({ writes }: HistoryIndex): string[] {
  const creates: { id: number; operation: Operation }[] = [];
  for (const { request, attempts } of writes.values()) {
    if (request.method !== "POST") continue;
    for (const operation of attempts) {
      if (outcomeOf(operation) === "done" && operation.response && !operation.response.replayed)
        creates.push({ id: Number(JSON.parse(operation.response.text).id), operation });
    }
  }
  const completed = [...creates].sort((a, b) => a.operation.completed - b.operation.completed);
  creates.sort((a, b) => a.operation.invoked - b.operation.invoked);
  const anomalies: string[] = [];
  let highest = completed[0];
  let next = 0;
  for (const { id, operation } of creates) {
    for (
      let done = completed[next];
      done && done.operation.completed < operation.invoked;
      done = completed[++next]
    )
      if (!highest || next === 0 || done.id > highest.id) highest = done;
    if (next > 0 && highest && highest.id >= id)
      anomalies.push(`id ${id} after id ${highest.id}: ${describeOperation(operation)}`);
  }
  return anomalies;
}

/** All final responses to attempts with one key are the same, and at most one of them is not a replay. */
function findReplayAnomalies({ request, attempts, mark }: Write): string[] {
  if (request.method !== "POST") return [];
  const final = attempts.filter((attempt) => ["done", "rejected"].includes(outcomeOf(attempt)));
  const anomalies: string[] = [];
  const first = final.filter(({ response }) => !response?.replayed);
  if (first.length > 1)
    anomalies.push(`${mark} was done ${first.length} times: ${first.map(describeOperation).join("; ")}`);
  const outcomes = new Set(final.map(({ response }) => response && finalOutcome(response)));
  if (outcomes.size > 1) anomalies.push(`${mark} has several outcomes: ${[...outcomes].join("; ")}`);
  const canBeStored = first.length > 0 || attempts.some((attempt) => outcomeOf(attempt) === "unknown");
  if (final.length > 0 && !canBeStored) anomalies.push(`${mark} was replayed before it was done`);
  return anomalies;
}

/** A replayed problem has another request id. */
function finalOutcome(response: NonNullable<Operation["response"]>): string {
  return response.status === 201 ? response.text : `${response.status} ${problemType(response)}`;
}
