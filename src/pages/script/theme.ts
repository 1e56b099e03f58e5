/** The themes that people can choose in the console. The reference follows the choice. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The name of the choice in localStorage. */
export const THEME_KEY = "roster-theme";

/** Shows the page in this theme. Call before the first paint, to avoid a flash of other colours. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

export function loadTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(THEME_KEY)) ?? "system";
  } catch {
    // Storage is blocked.
    return "system";
  }
}
