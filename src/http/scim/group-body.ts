import type { Json } from "../../contract/json.ts";
import { scimGroupOperations } from "../../contract/scim/scim-operations.ts";
import { sortIds } from "../../domain/groups/sort-ids.ts";
import { type LongPath, parseLongJson } from "../../domain/parse-long-json.ts";
import { loopShare } from "../../domain/scheduling/loop-share.ts";
import { groupKind } from "../../scim/attributes.ts";
import { parseMembers } from "../../scim/members.ts";
import type { BodyReader } from "../body-reader.ts";
import type { RequestContext } from "../request-context.ts";

/** Reads the body of a write of a group, which can have many members. */
export async function readGroupBody(
  context: RequestContext,
  bodyReader: BodyReader,
  maxBytes: number,
): Promise<unknown> {
  const text = await bodyReader.readText(context, maxBytes);
  const { invalid } = scimGroupOperations.create.request;
  return parseLongJson(text, { isLong: hasMembers, maxOtherBytes: bodyReader.maxBytes, invalid });
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

/** The ids of members, each once. */
export async function parseMemberIds(members: Json): Promise<number[]> {
  if (!Array.isArray(members)) return parseMembers(members);
  const ids: number[] = [];
  for (let start = 0; start < members.length; start += STEP_MEMBERS) {
    if (loopShare.isSpent) await loopShare.nextTurn();
    for (const id of parseMembers(members.slice(start, start + STEP_MEMBERS))) ids.push(id);
  }
  return Array.from(await sortIds(ids));
}
