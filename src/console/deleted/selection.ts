import { useMemo, useState } from "react";
import type { DeletedUser } from "../../client/index.ts";
import { useShortcuts } from "../shortcuts/use-shortcuts.ts";
import { shortcuts } from "../texts/shortcuts.ts";

/** The selected deleted users. A selection outlives searches. Escape clears it. */
export function useSelectedUsers(loaded: readonly DeletedUser[]) {
  const [selected, setSelected] = useState<ReadonlyMap<number, DeletedUser>>(new Map());
  /** What is selected besides the last range. */
  const [outside, setOutside] = useState<readonly DeletedUser[]>([]);
  const users = useMemo(() => [...selected.values()], [selected]);
  const show = (chosen: readonly DeletedUser[]) =>
    setSelected(new Map(chosen.map((user) => [user.id, user])));
  const select = (chosen: readonly DeletedUser[]) => {
    show(chosen);
    setOutside(chosen);
  };
  const clear = () => select([]);
  const has = ({ id }: DeletedUser) => selected.has(id);
  const loadedIds = new Set(loaded.map(({ id }) => id));
  const others = users.filter(({ id }) => !loadedIds.has(id));
  const isEveryLoaded = loaded.length > 0 && loaded.every(has);
  useShortcuts(selected.size > 0 ? [[shortcuts.everywhere.close, clear]] : []);
  return {
    users,
    has,
    select,
    toggle: (user: DeletedUser) =>
      select(has(user) ? users.filter(({ id }) => id !== user.id) : [...users, user]),
    selectRange: (range: readonly DeletedUser[]) => show([...outside, ...range]),
    startRange: () => setOutside(users),
    isEveryLoaded,
    toggleLoaded: () => select(isEveryLoaded ? others : [...others, ...loaded]),
  };
}
