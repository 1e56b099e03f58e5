import { roster } from "../lib/api.ts";
import type { UserEntry } from "./user-entries.ts";

/** What an import of memberships says about each user. */
export interface MembershipResults {
  /** Users that became members, or would become members. */
  readonly added: readonly UserEntry[];
  /** Users that were members before. */
  readonly members: readonly UserEntry[];
  /** Users that do not exist. */
  readonly missing: readonly UserEntry[];
}

interface ImportOptions {
  readonly dryRun?: boolean;
  readonly remove?: boolean;
  readonly signal?: AbortSignal;
}

/** The group was deleted. */
export class GroupGoneError extends Error {}

/** Makes users members of a group, or removes them. With `dryRun`, only says what would happen. One request. */
export async function importMembers(
  group: number,
  entries: readonly UserEntry[],
  options: ImportOptions = {},
): Promise<MembershipResults> {
  const [added, members, missing]: [UserEntry[], UserEntry[], UserEntry[]] = [[], [], []];
  const lines = entries.map((user) => ({ group, user }));
  let place = 0;
  for await (const { status, problem } of roster.memberships.import(lines, options)) {
    const entry = entries[place++];
    if (entry === undefined) continue;
    if (problem?.type.endsWith("/group-not-found")) throw new GroupGoneError();
    if (problem) missing.push(entry);
    else (status === 201 ? added : members).push(entry);
  }
  return { added, members, missing };
}
