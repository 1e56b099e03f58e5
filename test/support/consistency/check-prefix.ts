import { earliestTime, indexHistory } from "./index-history.ts";
import { type Operation, outcomeOf, type User } from "./operation.ts";

/**
 * Checks that users are the state of a database at some moment of a history: each user is as some response showed it or as
 * some write can have left it, and if a write is there, every write that was acknowledged before it was sent is there, too.
 */
export function findPrefixAnomalies(operations: readonly Operation[], users: readonly User[]): string[] {
  const index = indexHistory(operations);
  const found = new Map(users.map((user) => [user.id, user]));
  const anomalies: string[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (const user of users) {
    const known = index.users.get(user.id)?.versions.get(user.version);
    const write = index.writes.get(user.mark);
    const json = JSON.stringify(user);
    if (!write) anomalies.push(`nobody sent ${json}`);
    else latest = Math.max(latest, earliestTime(write));
    if (known && known.json !== json) anomalies.push(`${json} was ${known.json}`);
  }
  for (const { id, versions, deletes, pendingDeletes } of index.users.values()) {
    const version = found.get(id)?.version;
    for (const deleted of deletes)
      if (deleted.completed < latest && version !== undefined) anomalies.push(`user ${id} came back`);
    const canBeDeleted = deletes.length > 0 || pendingDeletes.length > 0;
    if (version === undefined && canBeDeleted) continue;
    for (const [written, { write, json }] of versions) {
      const acknowledged = write?.attempts.some(
        (each) => outcomeOf(each) === "done" && each.completed < latest,
      );
      if (acknowledged && written > (version ?? 0))
        anomalies.push(`version ${version ?? 0} found, lost ${json}`);
    }
  }
  return anomalies;
}
