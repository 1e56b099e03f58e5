import type { User, UserPatch } from "../../../client/index.ts";
import { listLimits } from "../../../contract/listing.ts";
import { roster } from "../../lib/api.ts";
import { type ListParams, toListOptions } from "../list-params.ts";
import type { MatchingUsers } from "../table/selection.ts";
import type { EditRequests } from "../undo/edit-requests.ts";
import type { ManyChange } from "./many-run.ts";

/** Users per request for their ids. */
const PAGE_SIZE = 1000;

export type MemberChange = "add" | "remove";

/** Deletes every user that matches a search. */
export function deleteMatching(search: ListParams): ManyChange {
  return {
    findIds: (report, signal) => findMatching(search, report, signal),
    change: (ids) => roster.users.bulk({ ids, delete: true }),
  };
}

/** Edits every user that matches a search. `requests`, if given, finds the old values afterwards. */
export function editMatching(search: ListParams, patch: UserPatch, requests?: EditRequests): ManyChange {
  return {
    async findIds(report, signal) {
      await requests?.begin();
      return findMatching(search, report, signal);
    },
    change(ids) {
      const bulk = roster.users.bulk({ ids, patch });
      return requests ? requests.send(bulk) : bulk;
    },
  };
}

/** `of`: single users, or all that match a search. */
export type ManyUsers = readonly User[] | MatchingUsers;

export const countOf = (of: ManyUsers) => ("search" in of ? of.count : of.length);

/**
 * Adds users to a group, or removes them. Users whose membership would stay the same are left out: an undo does not change them
 * either.
 */
export function changeMembers(kind: MemberChange, group: number, of: ManyUsers): ManyChange {
  const differs = `groups ${kind === "add" ? "ne" : "eq"} ${group}`;
  return {
    findIds(report, signal) {
      if ("search" in of) return findMatching(narrow(of.search, differs), report, signal);
      return findAmong(of, differs, report, signal);
    },
    change: (ids) => sendMembers(kind, group, ids),
  };
}

/** Ends the memberships that a change has added, or the other way round. */
export function changeMembersBack(kind: MemberChange, group: number, ids: readonly number[]): ManyChange {
  return {
    findIds: async () => ids,
    change: (some) => sendMembers(kind === "add" ? "remove" : "add", group, some),
  };
}

const sendMembers = (kind: MemberChange, group: number, ids: readonly number[]) =>
  roster.users.bulk(kind === "add" ? { ids, addToGroup: group } : { ids, removeFromGroup: group });

/** The users of a search for which a condition holds, too. */
const narrow = (search: ListParams, condition: string): ListParams => ({
  ...search,
  filter: search.filter === "" ? condition : `(${search.filter}) and ${condition}`,
});

/** The ids of those of the users for which a condition holds. */
async function findAmong(
  users: readonly User[],
  filter: string,
  report: (found: number) => void,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (let start = 0; start < users.length && !signal.aborted; start += listLimits.filterValues) {
    const id = users.slice(start, start + listLimits.filterValues).map((user) => user.id);
    const page = await roster.users.list({ where: { id }, filter, fields: ["id"], limit: id.length }).page();
    found.push(...page.users.map((user) => user.id));
    report(found.length);
  }
  return found;
}

/** Reads the ids before the first change: the change itself can move users in or out of the search. */
async function findMatching(
  search: ListParams,
  report: (found: number) => void,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const ids: number[] = [];
  let after: string | undefined;
  do {
    const options = { ...toListOptions({ ...search, sort: "id" }), fields: ["id"], limit: PAGE_SIZE, after };
    const page = await roster.users.list(options).page();
    ids.push(...page.users.map(({ id }) => id));
    after = page.next;
    report(ids.length);
  } while (after !== undefined && !signal.aborted);
  return ids;
}
