import { Observable } from "../lib/observable.ts";

/** What happened to users since the console was opened. */
export interface LiveUsers {
  /** The ids of created and restored users, in the order of the events. */
  readonly created: readonly number[];
  readonly deleted: ReadonlySet<number>;
  /** How often events were skipped because there were too many. */
  readonly gaps: number;
}

export const liveUsers = new Observable<LiveUsers>({ created: [], deleted: new Set(), gaps: 0 });

/** Users that this page has created or restored. The lists were loaded again since. */
export const ownUsers = new Set<number>();

/** What a list knew when it was loaded. */
type Known = Pick<LiveUsers, "gaps"> & { readonly created: number };

const known = new Map<string, Known>();

/** Remembers what has happened so far: the list with this key has it all. */
export function rememberLoad(key: unknown): void {
  const { created, gaps } = liveUsers.get();
  known.set(JSON.stringify(key), { created: created.length, gaps });
}

export function knownTo(key: unknown): Known {
  return known.get(JSON.stringify(key)) ?? { created: 0, gaps: 0 };
}
