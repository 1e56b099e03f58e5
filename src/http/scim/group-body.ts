import { isObject, type Json } from "../../contract/json.ts";
import { scimLimits } from "../../contract/scim/scim.ts";
import { scimGroupOperations } from "../../contract/scim/scim-operations.ts";
import { IdList } from "../../domain/groups/id-list.ts";
import type { JsonScanner } from "../../domain/json-scanner.ts";
import { type ItemReader, type LongPath, parseLongJson } from "../../domain/parse-long-json.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { loopShare } from "../../domain/scheduling/loop-share.ts";
import { groupKind } from "../../scim/attributes.ts";
import { parseMember } from "../../scim/members.ts";
import { scanMember } from "../../scim/scan-member.ts";
import type { BodyReader } from "../body-reader.ts";
import type { RequestContext } from "../request-context.ts";
import { readMember } from "./bulk-request.ts";
import type { SentBody } from "./resources.ts";

/** Reads the body of a write of a group, which can have many members. */
export async function readGroupBody(
  context: RequestContext,
  bodyReader: BodyReader,
  maxBytes: number,
): Promise<SentBody> {
  const bytes = await bodyReader.read(context, maxBytes);
  const lists = new GroupLists(bodyReader.maxBytes);
  const json = await parseLongJson(bytes, {
    isLong: canHaveMembers,
    open: (path, body) => lists.open(path, body),
    maxOtherBytes: bodyReader.maxBytes,
    invalid: scimGroupOperations.create.request.invalid,
  });
  return { json, memberIds: lists.memberIds };
}

/** Reads the lists of a body. */
class GroupLists {
  readonly #maxOtherBytes: number;
  /** The members of whole groups, by the empty lists that the body has in their place. */
  readonly memberIds = new Map<Json, IdList>();
  /** How many members patches have. */
  #listed = 0;
  #otherBytes = 0;

  constructor(maxOtherBytes: number) {
    this.#maxOtherBytes = maxOtherBytes;
  }

  open(path: LongPath, body: unknown): ItemReader {
    if (path.length === 1) return this.#openWhole();
    return isOfMembers(path, body) ? this.#openMembers() : this.#openOther();
  }

  /** A million members as objects would take too much memory. */
  #openWhole(): ItemReader {
    const [value, ids]: [Json, IdList] = [[], new IdList()];
    this.memberIds.set(value, ids);
    const read = (json: JsonScanner) => {
      const member = scanMember(json);
      ids.add(typeof member === "number" ? member : parseMember(member));
    };
    return { read, value };
  }

  #openMembers(): ItemReader {
    const value: Json[] = [];
    const read = (json: JsonScanner) => {
      if (++this.#listed > scimLimits.memberChanges) throw tooManyMembers();
      const member = scanMember(json);
      value.push(typeof member === "number" ? String(member) : member);
    };
    return { read, value };
  }

  /** Values of other attributes are no longer than a record. */
  #openOther(): ItemReader {
    const value: Json[] = [];
    const read = (json: JsonScanner) => {
      const start = json.at;
      value.push(json.parseValue());
      this.#otherBytes += json.at - start;
      if (this.#otherBytes > this.#maxOtherBytes) throw listTooLarge(this.#maxOtherBytes);
    };
    return { read, value };
  }
}

function tooManyMembers(): ProblemError {
  const { memberChanges } = scimLimits;
  return new ProblemError(
    "too-large",
    `A PATCH changes at most ${memberChanges} members. Send several, or PUT the group.`,
  );
}

function listTooLarge(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `The lists besides members are larger than ${maxBytes} bytes.`);
}

const membersNames: ReadonlySet<string> = new Set(["members", `${groupKind.core.id}:members`.toLowerCase()]);

function isMembersName(name: string | number): boolean {
  return membersNames.has(String(name).toLowerCase());
}

/** Whether the list at this path can have members: of a whole group, or of an operation of a patch. */
function canHaveMembers([first, , value, name, ...rest]: LongPath): boolean {
  if (rest.length > 0) return false;
  if (value === undefined) return first !== undefined && isMembersName(first);
  const isValue = `${first}/${value}`.toLowerCase() === "operations/value";
  return isValue && (name === undefined || isMembersName(name));
}

/** Whether the list has members, and not values of another attribute that the path of the operation names. */
function isOfMembers([operations = "", index = 0, , name]: LongPath, body: unknown): boolean {
  const list = isObject(body) ? body[operations] : undefined;
  const operation = Array.isArray(list) ? list[Number(index)] : undefined;
  const path = isObject(operation) ? (readMember(operation, "path") ?? undefined) : undefined;
  return name === undefined ? typeof path === "string" && isMembersName(path) : path === undefined;
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
