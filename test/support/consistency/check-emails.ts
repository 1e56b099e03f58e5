import type { UserResult, VersionWindow } from "./check-user.ts";
import { earliestTime, type HistoryIndex, type UserHistory } from "./index-history.ts";
import { describeOperation, type Operation } from "./operation.ts";

/** A time during which one user has an email. Each end has a window of possible times. */
interface Holding {
  readonly id: number;
  readonly acquired: Window;
  /** `earliest` is Infinity if nothing can have released the email. */
  readonly released: Window;
}

interface Window {
  readonly earliest: number;
  readonly latest: number;
}

const NEVER = Number.POSITIVE_INFINITY;
const MAX_STEPS = 200_000;

/**
 * Checks that each email can have belonged to one user at a time, and that a rejection because of a used email came while
 * another user can have had that email.
 */
export function findEmailAnomalies(index: HistoryIndex, results: ReadonlyMap<number, UserResult>): string[] {
  const holdings = new Map<string, Holding[]>();
  for (const [id, result] of results) {
    const history = index.users.get(id);
    if (history) collectHoldings(history, result, holdings);
  }
  const anomalies: string[] = [];
  for (const [email, held] of holdings) {
    const conflict = findConflict(held);
    if (conflict !== undefined) anomalies.push(`${email}: ${conflict}`);
  }
  const hidden = hiddenAcquires(index);
  for (const operation of index.emailTaken) {
    const email = emailIn(operation);
    const { invoked, completed } = firstAttempt(index, operation);
    const ownId = operation.request.method === "POST" ? undefined : operation.request.id;
    const canBeHeld = ({ id, acquired, released }: Holding) =>
      id !== ownId && acquired.earliest <= completed && released.latest >= invoked;
    const isHidden = (hidden.get(email) ?? []).some((earliest) => earliest <= completed);
    if (!isHidden && !(holdings.get(email) ?? []).some(canBeHeld))
      anomalies.push(`${email} was free: ${describeOperation(operation)}`);
  }
  return anomalies;
}

function collectHoldings(history: UserHistory, result: UserResult, into: Map<string, Holding[]>): void {
  const { windows, deleted } = result;
  for (const [position, window] of windows.entries()) {
    const email = emailOf(window);
    const before = windows[position - 1];
    const sameBefore = before && before.version === window.version - 1 && emailOf(before) === email;
    if (email === undefined || sameBefore) continue;
    let end = position;
    while (
      windows[end + 1]?.version === (windows[end]?.version ?? 0) + 1 &&
      emailOf(windows[end + 1]) === email
    )
      end++;
    const next = windows[end + 1];
    // Versions that no response shows can have had or released the email, too: widen the window.
    const acquired = {
      earliest:
        (before?.version ?? 0) < window.version - 1
          ? (before?.earliest ?? Number.NEGATIVE_INFINITY)
          : window.earliest,
      latest: window.latest,
    };
    const lastHeld = windows[end];
    const released = next
      ? {
          earliest: next.version === (lastHeld?.version ?? 0) + 1 ? next.earliest : (lastHeld?.earliest ?? 0),
          latest: next.latest,
        }
      : releaseAtEnd(history, email, lastHeld, deleted);
    const list = into.get(email) ?? [];
    list.push({ id: history.id, acquired, released });
    into.set(email, list);
  }
}

/**
 * When an email can have been released after the last version that a response shows: by the delete, or before it by a write
 * whose outcome is unknown.
 */
function releaseAtEnd(
  history: UserHistory,
  email: string,
  last: VersionWindow | undefined,
  deleted: Window | undefined,
): Window {
  let earliest = NEVER;
  for (const { invoked } of history.pendingDeletes) earliest = Math.min(earliest, invoked);
  for (const write of history.pendingWrites) {
    const { body, method } = write.request;
    const releases = (method === "PUT" || "email" in body) && fold(body.email) !== email;
    if (releases) earliest = Math.min(earliest, earliestTime(write));
  }
  const seen = history.seenAfter.get(last?.version ?? 0)?.invoked ?? 0;
  earliest = Math.max(earliest, last?.earliest ?? 0, seen);
  return { earliest: Math.min(earliest, deleted?.earliest ?? NEVER), latest: deleted?.latest ?? NEVER };
}

/** Looks for an order of all holdings in which each ends before the next begins. */
function findConflict(holdings: readonly Holding[]): string | undefined {
  const remaining = [...holdings].sort((a, b) => latestAcquire(a) - latestAcquire(b));
  let steps = 0;
  let furthest = holdings.length + 1;
  let reason = "";
  /** Candidates for the next place: those that do not begin after another one must have begun. */
  const place = (time: number, left: readonly Holding[]): boolean => {
    let now = time;
    let rest = left;
    for (;;) {
      const [first, second] = rest;
      if (!first) return true;
      if (rest.length < furthest) {
        furthest = rest.length;
        reason = `held by two users at the same time, one of them ${describe(first)}; others ${rest.slice(1, 4).map(describe).join(", ")}`;
      }
      const end = endOf(first, now);
      if (end === undefined) return false;
      // Nothing else can come before the first one: no need to branch.
      const isOnlyChoice =
        !second || rest.every((each) => each === first || each.acquired.earliest > latestAcquire(first));
      if (isOnlyChoice) {
        now = end;
        rest = rest.slice(1);
        continue;
      }
      if (++steps > MAX_STEPS) return false;
      const horizon = latestAcquire(first);
      const choices = rest.filter((each) => each.acquired.earliest <= horizon);
      return choices.some((choice) => {
        const after = endOf(choice, now);
        if (after === undefined) return false;
        const others = rest.filter((each) => each !== choice);
        const canGoOn = others.every((each) => after <= latestAcquire(each));
        return canGoOn && place(after, others);
      });
    }
  };
  if (place(Number.NEGATIVE_INFINITY, remaining)) return undefined;
  return steps > MAX_STEPS ? `undecided after ${MAX_STEPS} steps` : reason;
}

/** The earliest end of a holding that begins at `time` or later; undefined if it must have begun or ended before. */
function endOf(holding: Holding, time: number): number | undefined {
  const begin = Math.max(time, holding.acquired.earliest);
  const end = Math.max(begin, holding.released.earliest);
  const isPossible = begin <= latestAcquire(holding) && (end <= holding.released.latest || end === NEVER);
  return isPossible ? end : undefined;
}

function latestAcquire({ acquired, released }: Holding): number {
  return Math.min(acquired.latest, released.latest);
}

function describe({ id, acquired, released }: Holding): string {
  const time = ({ earliest, latest }: Window) => `${earliest.toFixed(1)}–${latest.toFixed(1)}`;
  return `user ${id} (acquired ${time(acquired)}, released ${time(released)})`;
}

/** The times from which writes that no response shows can have set an email. */
function hiddenAcquires({ hidden }: HistoryIndex): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const write of hidden) {
    const email = fold(write.request.body.email);
    if (email !== undefined) times.set(email, [...(times.get(email) ?? []), earliestTime(write)]);
  }
  return times;
}

/** A replayed rejection was decided by an earlier attempt. */
function firstAttempt(
  { writes }: HistoryIndex,
  operation: Operation,
): { invoked: number; completed: number } {
  const { request, completed } = operation;
  const attempts = "body" in request ? (writes.get(String(request.body.mark))?.attempts ?? []) : [];
  return { invoked: Math.min(operation.invoked, ...attempts.map(({ invoked }) => invoked)), completed };
}

function emailIn({ request }: Operation): string {
  return ("body" in request && fold(request.body.email)) || "";
}

function emailOf(window: VersionWindow | undefined): string | undefined {
  return fold(window?.user.email);
}

function fold(email: unknown): string | undefined {
  return typeof email === "string" ? email.toLowerCase() : undefined;
}
