/** An event as followers receive it. */
export interface FollowedEvent {
  readonly id: string;
  readonly type: string;
  readonly requestId: string | null;
  readonly subject: { readonly type: string; readonly id: number };
  readonly version: number | null;
  readonly record: object | null;
}

/** A write that a client sent, under its own request id. */
export interface SentWrite {
  readonly requestId: string;
  /** The status of the response; undefined if the response was lost, or if it leaves the outcome open. */
  readonly status: number | undefined;
}

/** What followers, clients and the database saw. */
export interface EventHistory {
  /** The events in the database, in the order of positions. */
  readonly feed: readonly FollowedEvent[];
  /** What each follower received, in order. */
  readonly followers: readonly (readonly FollowedEvent[])[];
  readonly writes: readonly SentWrite[];
  /** The users at the end. */
  readonly users: readonly { readonly id: number }[];
}

/** Describes every way in which the history breaks a promise of the feed. */
export function findEventErrors({ feed, followers, writes, users }: EventHistory): string[] {
  return [
    ...followers.flatMap((seen, index) => compareWithFeed(seen, feed, `follower ${index + 1}`)),
    ...findUnorderedIds(feed),
    ...checkWrites(writes, feed),
    ...checkSubjects("user", feed, users),
  ];
}

function compareWithFeed(
  seen: readonly FollowedEvent[],
  feed: readonly FollowedEvent[],
  name: string,
): string[] {
  const errors: string[] = [];
  const known = new Set<string>();
  for (const { id } of seen) {
    if (known.has(id)) errors.push(`${name} received ${id} twice`);
    known.add(id);
  }
  const stored = new Set(feed.map(({ id }) => id));
  for (const { id } of feed) if (!known.has(id)) errors.push(`${name} missed ${id}`);
  for (const { id } of seen)
    if (!stored.has(id)) errors.push(`${name} received ${id}, which was not committed`);
  if (errors.length > 0) return errors;
  const differing = feed.findIndex((event, index) => !Bun.deepEquals(event, seen[index]));
  return differing < 0 ? [] : [`${name} received ${seen[differing]?.id} instead of ${feed[differing]?.id}`];
}

function findUnorderedIds(feed: readonly FollowedEvent[]): string[] {
  return feed.flatMap(({ id }, index) => {
    const before = feed[index - 1]?.id ?? "";
    return Buffer.compare(Buffer.from(before), Buffer.from(id)) < 0 ? [] : [`${id} follows ${before}`];
  });
}

/** Every acknowledged write has one event, every refused write has none, and every other write has at most one. */
function checkWrites(writes: readonly SentWrite[], feed: readonly FollowedEvent[]): string[] {
  const counts = new Map<string, number>();
  for (const { requestId } of feed) {
    if (requestId !== null) counts.set(requestId, (counts.get(requestId) ?? 0) + 1);
  }
  return writes.flatMap(({ requestId, status }) => {
    const count = counts.get(requestId) ?? 0;
    const isAcknowledged = status !== undefined && status < 300;
    const isCorrect = isAcknowledged ? count === 1 : status === undefined ? count <= 1 : count === 0;
    return isCorrect ? [] : [`${requestId} with status ${status} has ${count} events`];
  });
}

/** The events of each user or group lead from its creation to its current record, without a missing version. */
export function checkSubjects(
  kind: "user" | "group",
  feed: readonly FollowedEvent[],
  records: readonly { readonly id: number }[],
): string[] {
  const errors: string[] = [];
  const current = new Map<number, FollowedEvent>();
  for (const event of feed) {
    const { id, type, subject, version } = event;
    if (subject.type !== kind) continue;
    const before = current.get(subject.id);
    const expected = before === undefined ? 1 : (before.version ?? 0) + (type === `${kind}.deleted` ? 0 : 1);
    const isFirst = type === `${kind}.created`;
    if (isFirst !== (before === undefined) || before?.type === `${kind}.deleted` || version !== expected) {
      errors.push(
        `${id}: ${type} of ${kind} ${subject.id} at version ${version} after ${before?.type ?? "nothing"}`,
      );
    }
    current.set(subject.id, event);
  }
  const existing = new Map(records.map((each) => [each.id, each]));
  for (const [id, { type, record }] of current) {
    const found = existing.get(id);
    const isCorrect = type === `${kind}.deleted` ? found === undefined : Bun.deepEquals(found, record);
    if (!isCorrect) errors.push(`the last event of ${kind} ${id} does not have its record`);
  }
  for (const { id } of records) if (!current.has(id)) errors.push(`${kind} ${id} has no event`);
  return errors;
}
