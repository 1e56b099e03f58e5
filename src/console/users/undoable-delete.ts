import { createClient, type User } from "../../client/index.ts";
import { describeError, isProblem, promptIfSignedOut, roster } from "../lib/api.ts";
import { Observable, useObservable } from "../lib/observable.ts";
import { onPageHide } from "../lib/unsaved-changes.ts";
import { formatNumber } from "../texts/format.ts";
import { deleting as texts } from "../texts/index.ts";
import { showToast } from "../ui/toasts.tsx";
import { removeCachedUsers, updateCachedUser } from "./queries.ts";

/** How long it can be undone. */
const UNDO_MS = 6000;
/** While somebody is about to press Undo, it is asked again after so long. */
const RECHECK_MS = 1000;
/** Requests at a time. */
const CONCURRENCY = 6;

/** Those that will be deleted unless somebody says otherwise; one notice is for all of them. */
interface PendingDelete {
  readonly users: readonly User[];
  /** Takes the notice away. */
  readonly close: () => void;
  timer: ReturnType<typeof setTimeout>;
}

let waiting: PendingDelete | undefined;
const inFlight = new Set<number>();
const hidden = new Observable<ReadonlySet<number>>(new Set());

/** Its own way out, since what is asked for while the page goes away would go with it. */
const leaving = createClient({ retries: 0, fetch: (request) => fetch(request, { keepalive: true }) });

/** Takes the users away at once, and deletes them a few seconds later, unless that is undone. */
export function deleteWithUndo(users: readonly User[]): void {
  const more = users.filter(({ id }) => !hidden.get().has(id));
  if (more.length === 0) return;
  const earlier = takePending();
  startWaiting([...(earlier?.users ?? []), ...more]);
}

/** Deletes those that wait, now, for who would leave cannot undo it either. */
export async function flushPendingDelete(): Promise<void> {
  const last = takePending();
  if (last) await sendDeletes(last.users, roster, CONCURRENCY);
}

/** The users that are gone from sight, whether or not the service knows of it yet. */
export function useHiddenUserIds(): ReadonlySet<number> {
  return useObservable(hidden);
}

onPageHide(() => {
  const last = takePending();
  if (last) void sendDeletes(last.users, leaving, last.users.length);
});

function startWaiting(users: readonly User[]): void {
  const [first] = users;
  const title = users.length === 1 && first ? texts.one(first.name) : texts.many(formatNumber(users.length));
  const close = showToast({
    title,
    ms: 0,
    action: { label: texts.undo, run: () => takePending(mine) },
    // Closed without Undo: there is nothing to wait for. Undo closes it too, and comes after this.
    onClose: () => queueMicrotask(() => sendNow(mine)),
  });
  const mine: PendingDelete = { users, close, timer: setTimeout(() => sendUnlessFocused(mine), UNDO_MS) };
  waiting = mine;
  updateHidden();
}

/** As long as the pointer or the keyboard is on the notice, it stays, and so does Undo. */
function sendUnlessFocused(which: PendingDelete): void {
  const held = document.querySelector(".toasts:is(:hover, :focus-within)");
  if (held) which.timer = setTimeout(() => sendUnlessFocused(which), RECHECK_MS);
  else sendNow(which);
}

function sendNow(which: PendingDelete): void {
  if (takePending(which)) void sendDeletes(which.users, roster, CONCURRENCY);
}

/** Those that wait do so no longer: undone, sent, or about to wait with others. */
function takePending(which = waiting): PendingDelete | undefined {
  if (!which || which !== waiting) return undefined;
  waiting = undefined;
  clearTimeout(which.timer);
  which.close();
  updateHidden();
  return which;
}

async function sendDeletes(
  users: readonly User[],
  client: typeof roster,
  concurrency: number,
): Promise<void> {
  for (const { id } of users) inFlight.add(id);
  updateHidden();
  const left = [...users];
  const gone = new Set<number>();
  const kept: { readonly user: User; readonly error: unknown }[] = [];
  const work = async () => {
    for (let user = left.shift(); user; user = left.shift()) {
      try {
        await client.users.delete(user.id, { ifUnchanged: user });
        gone.add(user.id);
      } catch (error) {
        // Somebody else was quicker.
        if (isProblem(error, "user-not-found")) gone.add(user.id);
        else kept.push({ user, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, users.length) }, work));
  if (gone.size > 0) removeCachedUsers(gone);
  for (const { id } of users) inFlight.delete(id);
  updateHidden();
  if (kept.length > 0) reportFailedDeletes(kept);
}

function reportFailedDeletes(kept: readonly { readonly user: User; readonly error: unknown }[]): void {
  for (const { user, error } of kept) {
    promptIfSignedOut(error);
    if (isProblem(error, "version-mismatch")) void showCurrent(user.id);
  }
  const [first] = kept;
  if (!first) return;
  const title =
    kept.length > 1 ? texts.failed(formatNumber(kept.length)) : texts.changed.title(first.user.name);
  const { text } = isProblem(first.error, "version-mismatch") ? texts.changed : describeError(first.error);
  showToast({ title, text, kind: "failed", ms: 10_000 });
}

async function showCurrent(id: number): Promise<void> {
  try {
    updateCachedUser(await roster.users.get(id));
  } catch {
    // What was shown before stays; whoever opens it will see.
  }
}

function updateHidden(): void {
  hidden.set(new Set([...(waiting?.users ?? []).map(({ id }) => id), ...inFlight]));
}
