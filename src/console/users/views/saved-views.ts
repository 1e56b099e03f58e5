import { Observable, useObservable } from "../../lib/observable.ts";
import { loadJsonPreference, savePreference } from "../../lib/preferences.ts";

/** A list of users with a name. The browser stores it. */
export interface SavedView {
  readonly name: string;
  /** Search, filters, sort order and columns, as in the URL. */
  readonly query: string;
}

/** Browsers and proxies may refuse longer addresses. */
export const viewLimits = { views: 50, nameCharacters: 60, queryCharacters: 8000 } as const;
const KEY = "roster-views";

const saved = new Observable<readonly SavedView[]>(load() ?? []);
// Another tab has changed the views.
addEventListener("storage", () => saved.set(load() ?? []));

export const listSavedViews = saved.get;

export function useSavedViews(): readonly SavedView[] {
  return useObservable(saved);
}

export function findView(views: readonly SavedView[], name: string): SavedView | undefined {
  return views.find((view) => isSameName(view.name, name));
}

export function isSameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Adds a view, or replaces the one with the same name. */
export function saveView(view: SavedView): void {
  update((views) => {
    const index = views.findIndex(({ name }) => isSameName(name, view.name));
    return index < 0 ? [...views, view] : views.with(index, view);
  });
}

/** Renames and deletes views. The names by the old names; undefined deletes the view. */
export function changeViews(names: ReadonlyMap<string, string | undefined>): void {
  update((views) =>
    views.flatMap((view) => {
      const name = names.has(view.name) ? names.get(view.name) : view.name;
      return name === undefined ? [] : [{ ...view, name }];
    }),
  );
}

function update(change: (views: readonly SavedView[]) => readonly SavedView[]): void {
  // Another tab may have changed the stored views. If storage is blocked, the views last until the page is closed.
  const views = change(load() ?? saved.get());
  savePreference(KEY, JSON.stringify(views));
  saved.set(views);
}

/** Undefined if there are none. Ignores what is not a view. */
function load(): SavedView[] | undefined {
  const stored = loadJsonPreference(KEY);
  if (!Array.isArray(stored)) return undefined;
  const views: SavedView[] = [];
  for (const entry of stored) {
    const view = parseView(entry);
    if (view && !findView(views, view.name)) views.push(view);
  }
  return views.slice(0, viewLimits.views);
}

function parseView(entry: unknown): SavedView | undefined {
  if (typeof entry !== "object" || entry === null || !("name" in entry) || !("query" in entry))
    return undefined;
  const { name, query } = entry;
  if (typeof name !== "string" || typeof query !== "string") return undefined;
  const isValid =
    name.trim() !== "" &&
    name.length <= viewLimits.nameCharacters &&
    query.length <= viewLimits.queryCharacters &&
    (query === "" || query.startsWith("?"));
  return isValid ? { name, query } : undefined;
}
