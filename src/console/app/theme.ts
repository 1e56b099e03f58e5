import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
const themes: readonly Theme[] = ["system", "light", "dark"];
const KEY = "roster-theme";

let theme = kept();
const listeners = new Set<() => void>();

/** Before anything is painted, so that nothing flashes. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme;
}

export function useTheme(): [Theme, () => void] {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
  return [current, nextTheme];
}

function nextTheme(): void {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  localStorage.setItem(KEY, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

function kept(): Theme {
  return themes.find((each) => each === localStorage.getItem(KEY)) ?? "system";
}
