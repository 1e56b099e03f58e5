import { request } from "../lib/api.ts";
import { reloadPage } from "../lib/session.ts";
import { showErrorToast } from "../ui/toasts.tsx";
import { flushPendingDelete } from "../users/undoable-delete.ts";

export async function signOut(): Promise<void> {
  try {
    await flushPendingDelete();
    await request("/api/session", { method: "DELETE" });
    reloadPage();
  } catch (error) {
    showErrorToast(error);
  }
}
