// Preferences in localStorage. If storage is blocked, a choice lasts until the page is closed.

export function loadPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A preference in JSON. Undefined: none, or an invalid one. */
export function loadJsonPreference(name: string): unknown {
  try {
    return JSON.parse(loadPreference(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined removes the preference. */
export function savePreference(name: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // Storage is blocked or full.
  }
}
