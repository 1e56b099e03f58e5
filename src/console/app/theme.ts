import { loadTheme, showTheme, THEME_KEY, type Theme } from "../../pages/script/theme.ts";
import { Observable, useObservable } from "../lib/observable.ts";
import { savePreference } from "../lib/preferences.ts";

const theme = new Observable(loadTheme());

export function applyTheme(): void {
  showTheme(theme.get());
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useObservable(theme), chooseTheme];
}

export function chooseTheme(next: Theme): void {
  savePreference(THEME_KEY, next);
  theme.set(next);
  applyTheme();
}
