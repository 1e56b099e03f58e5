import { useMemo, useState } from "react";
import type { User } from "../../../client/index.ts";
import type { ListParams } from "../list-params.ts";
import { useDeletedIds } from "../queries.ts";

/** All users that match a search, loaded or not. */
export interface MatchingUsers {
  readonly search: ListParams;
  readonly count: number;
}

export interface Selection {
  /** The selected users, in their current version as far as they are loaded. */
  readonly users: readonly User[];
  /** Set if the person chose all matching users instead of single ones. */
  readonly matching: MatchingUsers | undefined;
  readonly has: (user: User) => boolean;
  readonly toggle: (user: User) => void;
  /** Selects these users instead of those of the last range. */
  readonly selectRange: (users: readonly User[]) => void;
  /** The next range adds to the users that are selected now. */
  readonly startRange: () => void;
  /** Selects these users, or none of them if all are selected. */
  readonly toggleAll: (users: readonly User[]) => void;
  readonly selectMatching: (matching: MatchingUsers) => void;
  readonly clear: () => void;
}

type Chosen = ReadonlyMap<number, User>;
const none: Chosen = new Map();
const byId = (users: readonly User[]): Chosen => new Map(users.map((user) => [user.id, user]));

/** The selected users. A selection outlives searches: users that the list no longer shows stay selected. */
export function useSelection(loaded: readonly User[]): Selection {
  const [chosen, setChosen] = useState(none);
  /** What is selected besides the last range. */
  const [others, setOthers] = useState(none);
  const [matching, setMatching] = useState<MatchingUsers>();
  const deletedIds = useDeletedIds();
  const users = useMemo(() => {
    if (chosen.size === 0) return [];
    const inTable = loaded.filter(({ id }) => chosen.has(id));
    const shown = new Set(inTable.map(({ id }) => id));
    // In the order of the table, then users that other searches found.
    const elsewhere = [...chosen.values()].filter(({ id }) => !shown.has(id) && !deletedIds.has(id));
    return [...inTable, ...elsewhere];
  }, [chosen, deletedIds, loaded]);
  const select = (next: Chosen) => {
    setChosen(next);
    setMatching(undefined);
  };
  const choose = (next: Chosen) => {
    select(next);
    setOthers(next);
  };
  return {
    users,
    matching,
    has: ({ id }) => matching !== undefined || chosen.has(id),
    toggle(user) {
      const next = new Map(chosen);
      if (!next.delete(user.id)) next.set(user.id, user);
      choose(next);
    },
    selectRange: (range) => select(new Map([...others, ...byId(range)])),
    startRange: () => setOthers(chosen),
    toggleAll(range) {
      const isEvery = range.every(({ id }) => chosen.has(id));
      if (!isEvery) return choose(new Map([...chosen, ...byId(range)]));
      const ids = new Set(range.map(({ id }) => id));
      choose(new Map([...chosen].filter(([id]) => !ids.has(id))));
    },
    selectMatching: setMatching,
    clear() {
      choose(none);
    },
  };
}
