import { request } from "../lib/api.ts";
import { reloadPage } from "../lib/session.ts";
import { showErrorToast } from "../ui/toasts.tsx";

export async function signOut(): Promise<void> {
  try {
    await request("/api/session", { method: "DELETE" });
    reloadPage();
  } catch (error) {
    showErrorToast(error);
  }
}
