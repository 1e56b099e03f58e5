import { runInTurns, type Steps } from "../scheduling/steps.ts";
import type { Ids } from "./id-list.ts";

/** Ids that are sorted at once. */
const RUN = 4096;

/** The different ids, in order. A million ids take 8 MB, and do not hold the event loop. */
export function sortIds(ids: Ids): Promise<Float64Array> {
  return runInTurns(sortInSteps(ids));
}

/** Sorts short runs of ids, then merges pairs of neighbours until one run is left. */
function* sortInSteps(ids: Ids): Steps<Float64Array> {
  let sorted = new Float64Array(ids.length);
  let added = 0;
  for (const id of ids) {
    sorted[added++] = id;
    if (added % RUN === 0) yield;
  }
  for (let start = 0; start < sorted.length; start += RUN) {
    sorted.subarray(start, start + RUN).sort();
    yield;
  }
  let merged = new Float64Array(sorted.length);
  for (let length = RUN; length < sorted.length; length *= 2) {
    for (let start = 0; start < sorted.length; start += 2 * length) {
      yield* mergeRuns(sorted, { start, length }, merged);
    }
    [sorted, merged] = [merged, sorted];
  }
  return yield* removeDuplicates(sorted);
}

/** Merges two runs of this length: the one at `start` and the next one. The last run can be shorter. */
function* mergeRuns(
  from: Float64Array,
  { start, length }: { readonly start: number; readonly length: number },
  to: Float64Array,
): Steps<void> {
  const middle = Math.min(start + length, from.length);
  const end = Math.min(middle + length, from.length);
  let [left, right] = [start, middle];
  for (let index = start; index < end; index++) {
    const a = left < middle ? (from[left] ?? 0) : Number.POSITIVE_INFINITY;
    const b = right < end ? (from[right] ?? 0) : Number.POSITIVE_INFINITY;
    to[index] = Math.min(a, b);
    if (a <= b) left++;
    else right++;
    if (index % RUN === 0) yield;
  }
}

function* removeDuplicates(sorted: Float64Array): Steps<Float64Array> {
  let length = 0;
  for (let index = 0; index < sorted.length; index++) {
    const id = sorted[index] ?? 0;
    if (id !== sorted[length - 1]) sorted[length++] = id;
    if (index % RUN === 0) yield;
  }
  return sorted.subarray(0, length);
}
