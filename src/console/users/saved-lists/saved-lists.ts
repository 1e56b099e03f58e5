import { Observable, useObservable } from "../../lib/observable.ts";
import { loadJsonPreference, loadPreference, savePreference } from "../../lib/preferences.ts";

/** A list of users with a name. The browser stores it. */
export interface SavedList {
  readonly name: string;
  /** Search, filters, sort order and columns, as in the URL. */
  readonly query: string;
}

/** Browsers and proxies may refuse longer addresses. */
export const savedListLimits = { lists: 50, nameCharacters: 60, queryCharacters: 8000 } as const;
const KEY = "roster-lists";
/** Where lists were, before they were called lists. */
const FORMER_KEY = "roster-views";

moveFormerLists();

const saved = new Observable<readonly SavedList[]>(load() ?? []);
// Another tab has changed the lists.
addEventListener("storage", () => saved.set(load() ?? []));

export const readSavedLists = saved.get;

export function useSavedLists(): readonly SavedList[] {
  return useObservable(saved);
}

export function findList(lists: readonly SavedList[], name: string): SavedList | undefined {
  return lists.find((list) => isSameName(list.name, name));
}

export function isSameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Adds a list, or replaces the one with the same name. */
export function saveList(list: SavedList): void {
  update((lists) => {
    const index = lists.findIndex(({ name }) => isSameName(name, list.name));
    return index < 0 ? [...lists, list] : lists.with(index, list);
  });
}

/** Renames and deletes lists. The names by the old names; undefined deletes the list. */
export function changeLists(names: ReadonlyMap<string, string | undefined>): void {
  update((lists) =>
    lists.flatMap((list) => {
      const name = names.has(list.name) ? names.get(list.name) : list.name;
      return name === undefined ? [] : [{ ...list, name }];
    }),
  );
}

function update(change: (lists: readonly SavedList[]) => readonly SavedList[]): void {
  // Another tab may have changed the stored lists. If storage is blocked, the lists last until the page is closed.
  const lists = change(load() ?? saved.get());
  savePreference(KEY, JSON.stringify(lists));
  saved.set(lists);
}

function moveFormerLists(): void {
  const former = loadPreference(FORMER_KEY);
  if (former === undefined || loadPreference(KEY) !== undefined) return;
  savePreference(KEY, former);
  // Full storage has not taken them.
  if (loadPreference(KEY) === former) savePreference(FORMER_KEY, undefined);
}

/** Undefined if there are none. Ignores what is not a list. */
function load(): SavedList[] | undefined {
  const stored = loadJsonPreference(KEY);
  if (!Array.isArray(stored)) return undefined;
  const lists: SavedList[] = [];
  for (const entry of stored) {
    const list = parseList(entry);
    if (list && !findList(lists, list.name)) lists.push(list);
  }
  return lists.slice(0, savedListLimits.lists);
}

function parseList(entry: unknown): SavedList | undefined {
  if (typeof entry !== "object" || entry === null || !("name" in entry) || !("query" in entry))
    return undefined;
  const { name, query } = entry;
  if (typeof name !== "string" || typeof query !== "string") return undefined;
  const isValid =
    name.trim() !== "" &&
    name.length <= savedListLimits.nameCharacters &&
    query.length <= savedListLimits.queryCharacters &&
    (query === "" || query.startsWith("?"));
  return isValid ? { name, query } : undefined;
}
