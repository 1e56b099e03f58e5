import { createClient, type User } from "../../client/index.ts";
import { sessionFetch } from "../../pages/script/session-fetch.ts";
import { describeError, isProblem, promptIfSignedOut, roster } from "../lib/api.ts";
import { Observable, useObservable } from "../lib/observable.ts";
import { onPageHide } from "../lib/unsaved-changes.ts";
import { formatNumber } from "../texts/format.ts";
import { deleting as texts } from "../texts/index.ts";
import { showToast } from "../ui/toasts.tsx";
import { removeCachedUsers, updateCachedUser } from "./queries.ts";

/** How long a delete can be undone. */
const UNDO_MS = 6000;
/** Recheck interval while the pointer or focus is on the toast. */
const RECHECK_MS = 1000;
/** Parallel delete requests. */
const CONCURRENCY = 6;

/** Users that are deleted when the timer ends, with one toast for all of them. */
interface PendingDelete {
  readonly users: readonly User[];
  /** Closes the toast. */
  readonly close: () => void;
  timer: ReturnType<typeof setTimeout>;
}

let pending: PendingDelete | undefined;
const inFlight = new Set<number>();
const hidden = new Observable<ReadonlySet<number>>(new Set());

/** A client whose requests survive closing the page. */
const keepaliveClient = createClient({
  retries: 0,
  fetch: (request) => sessionFetch(request, { keepalive: true }),
});

/** Hides the users at once and deletes them a few seconds later, unless the person presses Undo. */
export function deleteWithUndo(users: readonly User[]): void {
  const added = users.filter(({ id }) => !hidden.get().has(id));
  if (added.length === 0) return;
  const earlier = takePending();
  startWaiting([...(earlier?.users ?? []), ...added]);
}

/** Sends a pending delete now, for example before signing out. */
export async function flushPendingDelete(): Promise<void> {
  const taken = takePending();
  if (taken) await sendDeletes(taken.users, roster, CONCURRENCY);
}

/** Users whose delete is pending or being sent. The table hides them. */
export function useHiddenUserIds(): ReadonlySet<number> {
  return useObservable(hidden);
}

onPageHide(() => {
  const taken = takePending();
  if (taken) void sendDeletes(taken.users, keepaliveClient, taken.users.length);
});

function startWaiting(users: readonly User[]): void {
  const [first] = users;
  const title = users.length === 1 && first ? texts.one(first.name) : texts.many(formatNumber(users.length));
  const close = showToast({
    title,
    ms: 0,
    action: { label: texts.undo, run: () => takePending(started) },
    // Closing the toast sends the delete at once. Undo closes the toast first and then takes the delete: let it run.
    onClose: () => queueMicrotask(() => sendNow(started)),
  });
  const started: PendingDelete = {
    users,
    close,
    timer: setTimeout(() => sendUnlessFocused(started), UNDO_MS),
  };
  pending = started;
  updateHidden();
}

/** Waits while the pointer or the focus is on the toast. */
function sendUnlessFocused(target: PendingDelete): void {
  const isFocused = document.querySelector(".toasts:is(:hover, :focus-within)") !== null;
  if (isFocused) target.timer = setTimeout(() => sendUnlessFocused(target), RECHECK_MS);
  else sendNow(target);
}

function sendNow(target: PendingDelete): void {
  if (takePending(target)) void sendDeletes(target.users, roster, CONCURRENCY);
}

/** Ends the wait: the delete is undone, sent, or joined with another one. */
function takePending(target = pending): PendingDelete | undefined {
  if (!target || target !== pending) return undefined;
  pending = undefined;
  clearTimeout(target.timer);
  target.close();
  updateHidden();
  return target;
}

interface FailedDelete {
  readonly user: User;
  readonly error: unknown;
}

async function sendDeletes(
  users: readonly User[],
  client: typeof roster,
  concurrency: number,
): Promise<void> {
  for (const { id } of users) inFlight.add(id);
  updateHidden();
  const queue = [...users];
  const deleted = new Set<number>();
  const failed: FailedDelete[] = [];
  const work = async () => {
    for (let user = queue.shift(); user; user = queue.shift()) {
      try {
        await client.users.delete(user.id, { ifUnchanged: user });
        deleted.add(user.id);
      } catch (error) {
        // Someone else has deleted the user.
        if (isProblem(error, "user-not-found")) deleted.add(user.id);
        else failed.push({ user, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, users.length) }, work));
  if (deleted.size > 0) removeCachedUsers(deleted);
  for (const { id } of users) inFlight.delete(id);
  updateHidden();
  if (failed.length > 0) reportFailedDeletes(failed);
}

function reportFailedDeletes(failed: readonly FailedDelete[]): void {
  for (const { user, error } of failed) {
    promptIfSignedOut(error);
    if (isProblem(error, "version-mismatch")) void refreshUser(user.id);
  }
  const [first] = failed;
  if (!first) return;
  const title =
    failed.length > 1 ? texts.failed(formatNumber(failed.length)) : texts.changed.title(first.user.name);
  const { text } = isProblem(first.error, "version-mismatch") ? texts.changed : describeError(first.error);
  showToast({ title, text, kind: "failed", ms: 10_000 });
}

async function refreshUser(id: number): Promise<void> {
  try {
    updateCachedUser(await roster.users.get(id));
  } catch {
    // Keep the old version in the table. Opening the user fetches it again.
  }
}

function updateHidden(): void {
  hidden.set(new Set([...(pending?.users ?? []).map(({ id }) => id), ...inFlight]));
}
