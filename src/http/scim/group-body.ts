import type { Json } from "../../contract/json.ts";
import { scimLimits } from "../../contract/scim/scim.ts";
import { scimGroupOperations } from "../../contract/scim/scim-operations.ts";
import { IdList } from "../../domain/groups/id-list.ts";
import { type LongPath, parseLongJson } from "../../domain/parse-long-json.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { loopShare } from "../../domain/scheduling/loop-share.ts";
import { groupKind } from "../../scim/attributes.ts";
import { parseMember } from "../../scim/members.ts";
import type { BodyReader } from "../body-reader.ts";
import type { RequestContext } from "../request-context.ts";
import type { SentBody } from "./resources.ts";

/** Reads the body of a write of a group, which can have many members. */
export async function readGroupBody(
  context: RequestContext,
  bodyReader: BodyReader,
  maxBytes: number,
): Promise<SentBody> {
  const text = await bodyReader.readText(context, maxBytes);
  const { invalid } = scimGroupOperations.create.request;
  const lists = new MemberLists();
  const keep = (items: Json[], path: LongPath) => lists.keep(items, path);
  const options = { isLong: hasMembers, keep, maxOtherBytes: bodyReader.maxBytes, invalid };
  return { json: await parseLongJson(text, options), memberIds: lists.memberIds };
}

/** What is kept of long lists while a body is parsed: a million members as objects would take too much memory. */
class MemberLists {
  #path: LongPath | undefined;
  #items = 0;
  /** The members of a whole group. */
  memberIds: IdList | undefined;

  keep(items: Json[], path: LongPath): Json[] {
    if (path !== this.#path) [this.#path, this.#items, this.memberIds] = [path, 0, undefined];
    if (path.length > 1) {
      this.#items += items.length;
      if (this.#items > scimLimits.memberChanges) throw tooManyMembers();
      return items;
    }
    this.memberIds ??= new IdList();
    for (const member of items) this.memberIds.add(parseMember(member));
    return [];
  }
}

function tooManyMembers(): ProblemError {
  const { memberChanges } = scimLimits;
  return new ProblemError(
    "too-large",
    `A PATCH changes at most ${memberChanges} members. Send several, or PUT the group.`,
  );
}

const membersNames: ReadonlySet<string> = new Set(["members", `${groupKind.core.id}:members`.toLowerCase()]);

/** Whether the list at this path has members: of a whole group, or of an operation of a patch. */
function hasMembers([first, , value, name, ...rest]: LongPath): boolean {
  if (rest.length > 0) return false;
  const isMembers = (each: string | number) => membersNames.has(String(each).toLowerCase());
  if (value === undefined) return first !== undefined && isMembers(first);
  const isValue = `${first}/${value}`.toLowerCase() === "operations/value";
  return isValue && (name === undefined || isMembers(name));
}

/** Members whose ids are found at once. */
const STEP_MEMBERS = 1000;

/** The ids of members: of a list, or of one member. */
export async function parseMemberIds(members: Json | undefined): Promise<IdList> {
  const ids = new IdList();
  for (const member of Array.isArray(members) ? members : [members ?? []].flat()) {
    ids.add(parseMember(member));
    if (ids.length % STEP_MEMBERS === 0 && loopShare.isSpent) await loopShare.nextTurn();
  }
  return ids;
}
