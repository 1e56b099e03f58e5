import type { RowSelectionState, Updater } from "@tanstack/react-table";
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
  readonly rows: RowSelectionState;
  readonly setRows: (updater: Updater<RowSelectionState>) => void;
  readonly selectMatching: (matching: MatchingUsers) => void;
  readonly clear: () => void;
}

/** The selected users. A selection outlives searches: users that the list no longer shows stay selected. */
export function useSelection(loaded: readonly User[]): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<number, User>>(new Map());
  const [matching, setMatching] = useState<MatchingUsers>();
  const deletedIds = useDeletedIds();
  const current = useMemo(() => new Map(loaded.map((user) => [user.id, user])), [loaded]);
  const users = useMemo(
    () =>
      [...chosen.values()]
        .filter(({ id }) => !deletedIds.has(id))
        .map((user) => current.get(user.id) ?? user),
    [chosen, deletedIds, current],
  );
  const rows = useMemo(
    (): RowSelectionState => Object.fromEntries(users.map(({ id }) => [String(id), true as const])),
    [users],
  );
  return {
    users,
    matching,
    rows,
    setRows(updater) {
      const next = typeof updater === "function" ? updater(rows) : updater;
      // In the order of the table, then users that other searches found.
      const inTable = loaded.filter(({ id }) => next[id]);
      const others = users.filter(({ id }) => next[id] && !current.has(id));
      setChosen(new Map([...inTable, ...others].map((user) => [user.id, user])));
      setMatching(undefined);
    },
    selectMatching: setMatching,
    clear() {
      setChosen(new Map());
      setMatching(undefined);
    },
  };
}
