import { Observable, useObservable } from "../lib/observable.ts";
import { loadPreference, savePreference } from "../lib/preferences.ts";

export type Theme = "system" | "light" | "dark";
const themes: readonly Theme[] = ["system", "light", "dark"];
const STORAGE_KEY = "roster-theme";

const theme = new Observable(loadTheme());

/** Call before the first render, to avoid a flash of the wrong colours. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

export function useTheme(): [Theme, () => void] {
  return [useObservable(theme), nextTheme];
}

function nextTheme(): void {
  const next = themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? "system";
  savePreference(STORAGE_KEY, next);
  theme.set(next);
  applyTheme();
}

function loadTheme(): Theme {
  return themes.find((theme) => theme === loadPreference(STORAGE_KEY)) ?? "system";
}
