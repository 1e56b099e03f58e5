import { Store, useStore } from "../lib/observable.ts";
import { recall, remember } from "../lib/preferences.ts";

export type Theme = "system" | "light" | "dark";
const themes: readonly Theme[] = ["system", "light", "dark"];
const STORAGE_KEY = "roster-theme";

const theme = new Store(loadTheme());

/** Before anything is painted, so that nothing flashes. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

export function useTheme(): [Theme, () => void] {
  return [useStore(theme), nextTheme];
}

function nextTheme(): void {
  const next = themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? "system";
  remember(STORAGE_KEY, next);
  theme.set(next);
  applyTheme();
}

function loadTheme(): Theme {
  return themes.find((each) => each === recall(STORAGE_KEY)) ?? "system";
}
