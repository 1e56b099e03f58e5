import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { UserExpression } from "../lists/group-filters.ts";
import type { Meter } from "../meter.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import type { UserSource } from "../users/deleted-users.ts";
import type { UserListQuery } from "../users/user-list-fields.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { allIds } from "./match-chunks.ts";

/** The number of users that a bulk change would apply to now. */
export function countUsers(
  users: UserSource,
  request: BulkRequest,
  signal: AbortSignal,
  meter?: Meter,
): Promise<number> {
  return "ids" in request ? countIds(users, request.ids, meter) : countMatches(users, request, signal, meter);
}

async function countIds(users: UserSource, ids: readonly number[], meter?: Meter): Promise<number> {
  const seen = new Set<number>();
  let count = 0;
  for (let start = 0; start < ids.length; start += bulkLimits.chunkLines) {
    const chunk = ids
      .slice(start, start + bulkLimits.chunkLines)
      .filter((id) => !seen.has(id) && seen.add(id));
    await waitForLimit(meter, chunk.length);
    if (loopShare.isSpent) await loopShare.nextTurn();
    count += (await users.measure(chunk)).size;
  }
  return count;
}

/** The exact number of users that match. A list counts up to a limit; beyond it, the users are read. */
async function countMatches(
  users: UserSource,
  { expression, groups }: UserExpression,
  signal: AbortSignal,
  meter?: Meter,
): Promise<number> {
  const query: UserListQuery = { ...allIds, filters: groups, expression };
  const { total } = await users.list({ ...query, limit: 1, count: true });
  if (total && !total.capped) {
    await waitForLimit(meter, total.count);
    return total.count;
  }
  let count = 0;
  let from: UserListQuery["from"];
  do {
    const page = await users.list({ ...query, from, limit: bulkLimits.pageUsers });
    await waitForLimit(meter, page.size);
    if (loopShare.isSpent) await loopShare.nextTurn();
    count += page.size;
    from = page.next;
  } while (from && !signal.aborted);
  return count;
}

/** The response has no body yet: nothing keeps the connection open during the wait. */
async function waitForLimit(meter: Meter | undefined, rows: number): Promise<void> {
  if (meter) for await (const _ of meter.count(rows));
}
