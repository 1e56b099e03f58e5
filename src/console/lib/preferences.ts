// What this browser keeps of how somebody likes the console. It may keep nothing at all: then what was chosen holds until
// the page is left.

export function loadPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined to forget it. */
export function savePreference(name: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // Forbidden, or full.
  }
}
