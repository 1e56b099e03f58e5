import { Observable, useObservable } from "../lib/observable.ts";
import { loadPreference, savePreference } from "../lib/preferences.ts";

export const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const STORAGE_KEY = "roster-theme";

const theme = new Observable(loadTheme());

/** Call before the first render, to avoid a flash of the wrong colours. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useObservable(theme), chooseTheme];
}

export function chooseTheme(next: Theme): void {
  savePreference(STORAGE_KEY, next);
  theme.set(next);
  applyTheme();
}

function loadTheme(): Theme {
  return themes.find((theme) => theme === loadPreference(STORAGE_KEY)) ?? "system";
}
