import type { UserPatch } from "../../../client/index.ts";
import { roster } from "../../lib/api.ts";
import { type ListParams, toListOptions } from "../list-params.ts";
import type { EditRequests } from "../undo/edit-requests.ts";
import type { ManyChange } from "./many-run.ts";

/** Users per request for their ids. */
const PAGE_SIZE = 1000;

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
