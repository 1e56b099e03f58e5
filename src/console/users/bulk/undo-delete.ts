import { bulk } from "../../texts/index.ts";
import { reportError, showToast } from "../../ui/toasts.tsx";
import { restoreUsers } from "../queries.ts";

const texts = bulk.deleting;
const UNDO_MS = 15_000;

/** Says how many users were deleted, and offers to restore them. */
export function offerUndo(ids: readonly number[]): void {
  showToast({
    title: texts.done(ids.length),
    ms: UNDO_MS,
    action: { label: texts.undo, run: () => void undo(ids) },
  });
}

async function undo(ids: readonly number[]): Promise<void> {
  try {
    const { changed, failed, failures } = await restoreUsers(ids);
    if (failed === 0) showToast({ title: texts.restored(changed) });
    else {
      const text = failures[0]?.problem?.detail;
      showToast({ title: texts.notRestored(failed), kind: "failed", ms: 10_000, ...(text && { text }) });
    }
  } catch (error) {
    reportError(error);
  }
}
