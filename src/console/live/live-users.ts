import { Observable, useObservable } from "../lib/observable.ts";
import type { ListParams } from "../users/list-params.ts";

/** What happened to the users of a list since the console was opened. */
interface ListChanges {
  /** The ids of users that were created or restored, or became members, in the order of the events. */
  readonly created: readonly number[];
  /** Those that were deleted, or are not members any more. */
  readonly deleted: ReadonlySet<number>;
}

/** What happened to users. */
export interface LiveUsers extends ListChanges {
  /** How often events were skipped because there were too many. */
  readonly gaps: number;
}

const noChanges: ListChanges = { created: [], deleted: new Set() };
export const liveUsers = new Observable<LiveUsers>({ ...noChanges, gaps: 0 });
/** What happened to the members of groups, by the ids of the groups. */
const liveMembers = new Observable<ReadonlyMap<number, ListChanges>>(new Map());
/** The versions of groups that this page has written. The lists of members were loaded again since. */
const ownVersions = new Map<number, number>();

/** What happened to the users of a list. */
export function useListChanges({ membersOf }: ListParams): LiveUsers {
  const users = useObservable(liveUsers);
  const members = useObservable(liveMembers);
  return membersOf === undefined ? users : { ...users, ...(members.get(membersOf) ?? noChanges) };
}

interface ListChange {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/** The changes with more of them, in their order. */
export function addChanges({ created, deleted }: ListChanges, changes: readonly ListChange[]): ListChanges {
  const gone = new Set(deleted);
  for (const { added, removed } of changes) {
    for (const id of added) gone.delete(id);
    for (const id of removed) gone.add(id);
  }
  return { created: [...created, ...changes.flatMap(({ added }) => added)], deleted: gone };
}

interface MembersChange extends ListChange {
  readonly group: number;
  readonly version: number;
}

/** Remembers changes of members, except those that this page has made. */
export function addMembersChanges(changes: readonly MembersChange[]): void {
  const next = new Map(liveMembers.get());
  for (const change of changes) {
    const { group, version } = change;
    if (version <= (ownVersions.get(group) ?? 0)) continue;
    next.set(group, addChanges(next.get(group) ?? noChanges, [change]));
  }
  liveMembers.set(next);
}

/** Call after a change of members by this page, before their list is loaded again. `version` is that of the group now. */
export function rememberOwnVersion(group: number, version: number): void {
  ownVersions.set(group, version);
}

/** Users that this page has created or restored. The lists were loaded again since. */
export const ownUsers = new Set<number>();

/** What a list knew when it was loaded. */
type Known = Pick<LiveUsers, "gaps"> & { readonly created: number };

const known = new Map<string, Known>();

/** Remembers what has happened so far: the list with this key has it all. */
export function rememberLoad(search: ListParams): void {
  const { gaps, ...users } = liveUsers.get();
  const { membersOf } = search;
  const { created } = membersOf === undefined ? users : (liveMembers.get().get(membersOf) ?? noChanges);
  known.set(JSON.stringify(search), { created: created.length, gaps });
}

export function knownTo(search: ListParams): Known {
  return known.get(JSON.stringify(search)) ?? { created: 0, gaps: 0 };
}
