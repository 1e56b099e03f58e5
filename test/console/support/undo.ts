import { outcome } from "../../support/service.ts";
import type { MountedConsole } from "./dom/mount-console.ts";
import { pressKeys } from "./dom/press-key.ts";

const row = ({ page }: MountedConsole, name: string) => page.getByRole("row", { name: new RegExp(name) });
export const isShown = (opened: MountedConsole, name: string) => row(opened, name).waitFor();
export const isGone = (opened: MountedConsole, name: string) =>
  row(opened, name).waitFor({ state: "detached" });
export const toast = ({ page }: MountedConsole, text: string) =>
  page.locator(".toast").getByText(text, { exact: true });
export const undoButton = ({ page }: MountedConsole) =>
  page.locator(".toast").getByRole("button", { name: "Undo" });

/** Opens a user in the drawer. */
export const openUser = (opened: MountedConsole, name: string) => row(opened, name).click();

/** Presses Delete on the row of a user. */
export async function pressDelete(opened: MountedConsole, name: string): Promise<void> {
  await isShown(opened, name);
  pressKeys(opened.window, { key: "Delete" }, "tbody tr", name);
}

/** Presses Ctrl+Z, by default on the page. */
export function pressUndo({ window }: MountedConsole, selector?: string): void {
  pressKeys(window, { key: "z", ctrlKey: true }, selector);
}

export const exists = async ({ service }: MountedConsole, id: number) =>
  (await outcome(service.roster.users.get(id))) === "done";
