import type { JsonObject } from "../../contract/json.ts";
import type { Meter } from "../../domain/meter.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { groupDocument } from "../../scim/group-document.ts";
import type { DocumentView } from "../../scim/projection.ts";
import { writeUserDocuments } from "../../scim/user-bytes.ts";
import { userDocument } from "../../scim/user-document.ts";
import { hasScope, mayReadUsers } from "../access/require-scope.ts";
import type { RequestContext } from "../request-context.ts";
import { createMemberFormatter, MemberReader } from "./members.ts";
import { locateFor, type ScimParts } from "./scim-parts.ts";
import { readGroupsOfUser } from "./user-groups.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A document as JSON: at once, or in parts. */
export type WrittenDocument = string | AsyncGenerator<string, void>;

/** A part that says nothing, of a document that waits for the rate limit. */
export const KEEP_ALIVE = " ";

/** Writes documents from pages of records, which are JSON arrays. */
export interface PageWriter {
  /** Writers with the same key write the same. */
  readonly key: string;
  /** The documents, with commas between them. */
  write(records: Bytes): Steps<Bytes>;
}

/** Writes the documents of records of one kind, as one caller sees them. */
export interface DocumentWriter {
  /** Writes a page of records, if that is quicker than one by one. */
  readonly pages?: PageWriter;
  /** The records that will be written next, in this order. */
  expect(records: readonly JsonObject[]): void;
  write(record: JsonObject): WrittenDocument;
}

/** So many members of groups, or groups of users, count as one request. */
const ENTRIES_PER_REQUEST = 1000;

export function createUserWriter(
  context: RequestContext,
  parts: ScimParts,
  view: DocumentView,
): DocumentWriter {
  const locate = locateFor(context, parts);
  const format = (document: JsonObject) => JSON.stringify(view.project(document));
  if (!view.shows("groups") || !hasScope(context.caller, "groups:read")) {
    const pages = { key: locate(""), write: (users: Bytes) => writeUserDocuments(users, locate) };
    return {
      ...(view.isWhole && { pages }),
      expect: () => undefined,
      write: (user) => format(userDocument(user, locate)),
    };
  }
  const count = entryCounter(context, parts);
  return {
    expect: () => undefined,
    async *write(user) {
      const document = userDocument(user, locate);
      const groups = await readGroupsOfUser(context, Number(user.id), parts);
      yield* count(groups.length);
      yield format(groups.length > 0 ? { ...document, groups } : document);
    },
  };
}

/** Without the right to read users, groups come without members. */
export function createGroupWriter(
  context: RequestContext,
  parts: ScimParts,
  view: DocumentView,
): DocumentWriter {
  const locate = locateFor(context, parts);
  const format = (group: JsonObject) => JSON.stringify(view.project(groupDocument(group, locate)));
  if (!view.shows("members") || !mayReadUsers(context.caller))
    return { expect: () => undefined, write: format };
  const reader = new MemberReader(parts.memberships);
  const formatMembers = createMemberFormatter(view, locate);
  const count = entryCounter(context, parts);
  const open = (group: JsonObject) => `${format(group).slice(0, -1)},"members":[`;
  return {
    expect: (groups) => reader.expect(groups.map(toCounted)),
    write: (group) => (group.memberCount === 0 ? `${open(group)}]}` : writeMembers(group)),
  };

  async function* writeMembers(group: JsonObject): AsyncGenerator<string, void> {
    yield open(group);
    let separator = "";
    for await (const ids of reader.read(toCounted(group))) {
      yield* count(ids.length);
      yield separator + formatMembers(ids);
      separator = ",";
    }
    yield "]}";
  }
}

function toCounted({ id, memberCount }: JsonObject): { id: number; memberCount: number } {
  return { id: Number(id), memberCount: Number(memberCount) };
}

/** Counts entries towards the limits of the caller. Yields from time to time while it waits for the rate limit. */
function entryCounter(
  context: RequestContext,
  { limits }: ScimParts,
): (entries: number) => AsyncGenerator<string, void> {
  let meter: Meter | undefined;
  let isCreated = false;
  return async function* (entries) {
    if (!isCreated) meter = limits.createMeter(context, ENTRIES_PER_REQUEST, context.request.signal);
    isCreated = true;
    if (meter) for await (const _ of meter.count(entries)) yield KEEP_ALIVE;
  };
}
