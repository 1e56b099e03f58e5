import { isOutcomeUnknown, isProblem, isSignedOut } from "../../lib/api.ts";
import { undo as texts } from "../../texts/undo.ts";
import { reportError, showToast } from "../../ui/toasts.tsx";

/** Undoes a change, and says so. Resolves to false if the rest can be undone later. */
export type Undo = () => Promise<boolean>;

/** A change that can be undone, until the page is loaded again. */
interface Change {
  readonly undo: Undo;
  /** The users that the undo restores. */
  readonly restores: readonly number[];
  readonly closeToast: () => void;
}

interface UndoOptions {
  /** What else there is to say about the change. */
  readonly text?: string | undefined;
  /** The users that the undo restores. */
  readonly restores?: readonly number[];
}

const TOAST_MS = 15_000;
/** Earlier changes are forgotten: each can hold the old values of thousands of users. */
const MAX_CHANGES = 10;

/** The last one is undone first. */
let changes: readonly Change[] = [];
/** Undos run one after the other. */
let queue = Promise.resolve();
let waiting = 0;
let closeNote: () => void = () => undefined;

/**
 * Says what has changed, with a button that undoes it. Ctrl+Z undoes it too, also when the toast is gone. Returns a function that
 * withdraws the offer while its toast is open, and tells whether it was.
 */
export function offerUndo(
  title: string,
  undo: Undo,
  { text, restores = [] }: UndoOptions = {},
): () => boolean {
  // Only the last change has a button.
  changes.at(-1)?.closeToast();
  let isOpen = true;
  const closeToast = showToast({
    title,
    ...(text !== undefined && { text }),
    ms: TOAST_MS,
    action: { label: texts.action, run: () => void run(change) },
    onClose: () => {
      isOpen = false;
    },
  });
  const change: Change = { undo, restores, closeToast };
  changes = [...changes, change].slice(-MAX_CHANGES);
  return () => {
    const withdraws = isOpen && changes.at(-1) === change;
    if (withdraws) forget(change);
    return withdraws;
  };
}

/** Withdraws the offers to restore users who are restored. */
export function withdrawRestores(restored: ReadonlySet<number>): void {
  for (const change of changes) {
    const { restores } = change;
    if (restores.length > 0 && restores.every((id) => restored.has(id))) forget(change);
  }
}

export function canUndo(): boolean {
  return waiting === 0 && changes.length > 0;
}

/** Undoes the last change. Does nothing while an undo runs. */
export function undoLast(): void {
  if (waiting > 0) return;
  const last = changes.at(-1);
  if (last) void run(last);
  else {
    closeNote();
    closeNote = showToast({ title: texts.nothing });
  }
}

function forget(change: Change): void {
  changes = changes.filter((other) => other !== change);
  change.closeToast();
}

function run(change: Change): Promise<void> {
  // The button of a toast that is closing can be pressed once more.
  if (!changes.includes(change)) return queue;
  forget(change);
  waiting++;
  queue = queue.then(async () => {
    if (!(await succeeds(change.undo))) changes = [...changes, change];
    waiting--;
  });
  return queue;
}

async function succeeds(undo: Undo): Promise<boolean> {
  try {
    return await undo();
  } catch (error) {
    reportError(error);
    return !canSucceedLater(error);
  }
}

function canSucceedLater(error: unknown): boolean {
  const isOver = isProblem(error, "unavailable", "rate-limited", "quota-exceeded", "insufficient-scope");
  return isOver || isSignedOut(error) || isOutcomeUnknown(error);
}
