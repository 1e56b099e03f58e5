import { keepsDeletedUsers } from "../../lib/session.ts";
import { bulk } from "../../texts/index.ts";
import { showToast } from "../../ui/toasts.tsx";
import { restoreUsers } from "../queries.ts";
import { offerUndo } from "./undo.ts";

const texts = bulk.deleting;

/** Says that users were deleted, and offers to restore them if the service keeps them. As `offerUndo`. */
export function offerRestore(title: string, ids: readonly number[]): () => boolean {
  if (keepsDeletedUsers()) return offerUndo(title, () => restore(ids), { restores: ids });
  showToast({ title });
  return () => false;
}

/** Restores deleted users, and says so. */
export async function restore(ids: readonly number[]): Promise<boolean> {
  const { changed, failed, failures } = await restoreUsers(ids);
  if (failed === 0) showToast({ title: texts.restored(changed) });
  else {
    const text = failures[0]?.problem?.detail;
    showToast({ title: texts.notRestored(failed), kind: "failed", ms: 10_000, ...(text && { text }) });
  }
  return true;
}
