import { membershipLimits } from "../../contract/groups/group.ts";
import type { JsonObject } from "../../contract/json.ts";
import { SCIM_PREFIX, scimLimits } from "../../contract/scim/scim.ts";
import { scimGroupOperations } from "../../contract/scim/scim-operations.ts";
import { parseGroup } from "../../domain/groups/group.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { runInTurns } from "../../domain/scheduling/steps.ts";
import { groupKind } from "../../scim/attributes.ts";
import { groupDocument, groupIdText, groupRecord } from "../../scim/group-document.ts";
import { isMemberOperation, memberChange } from "../../scim/members.ts";
import { MEMBERS, normalizeDocument } from "../../scim/normalize.ts";
import { applyPatch } from "../../scim/patch/apply-patch.ts";
import { parsePatch } from "../../scim/patch/parse-patch.ts";
import { replaceDocument } from "../../scim/replace.ts";
import { requireScope } from "../access/require-scope.ts";
import { originOf, type RequestContext } from "../request-context.ts";
import { createGroupWriter } from "./document-writer.ts";
import { parseMemberIds, readGroupBody } from "./group-body.ts";
import { respondWithResource } from "./resource-response.ts";
import { parseRecord, type ScimResources } from "./resources.ts";
import { giveWay, type ScimParts, turnOf } from "./scim-parts.ts";

/** URLs in documents that are only computed with, and not sent. */
const locateInService = (path: string) => SCIM_PREFIX + path;

/** Groups as resources of SCIM. */
export function scimGroups(parts: ScimParts): ScimResources {
  const { groups, bodyReader, limits } = parts;

  /** Members tell which users there are. Some of them count as one request. */
  const admitMembers = (context: RequestContext, count: number) => {
    requireScope(context.caller, "users:read");
    limits.charge(context, Math.ceil(count / membershipLimits.changesPerEvent));
  };

  /** The record of a changed document. Undefined if the document stays the same. */
  const changeRecord = async (
    group: StoredRecord,
    change: (document: JsonObject) => MaybePromise<JsonObject>,
  ) => {
    const before = parseRecord(group);
    const current = groupDocument(before, locateInService);
    const next = await change(current);
    return next === current ? undefined : groupRecord(next, before, current);
  };

  return {
    kind: groupKind,
    operations: scimGroupOperations,
    parseId: (text) => Number(text.slice(1)),
    formatId: groupIdText,
    maxBytes: Math.max(bodyReader.maxBytes, scimLimits.groupBytes),
    readBody(context) {
      return readGroupBody(context, bodyReader, this.maxBytes);
    },
    read: (id, precondition) => groups.read(id, precondition),

    async create(context, { json, memberIds }) {
      const { [MEMBERS]: members, ...sent } = normalizeDocument(groupKind, json);
      await giveWay(context, parts);
      const record = groupRecord(sent, undefined);
      const ids = memberIds?.get(members) ?? (await parseMemberIds(members));
      if (ids.length > 0) admitMembers(context, ids.length);
      return groups.createWithMembers(originOf(context), record, ids);
    },

    async replace(context, { id, precondition }, { json, memberIds }) {
      const by = originOf(context);
      const { [MEMBERS]: members, ...sent } = normalizeDocument(groupKind, json);
      await giveWay(context, parts);
      const record = (group: StoredRecord) =>
        changeRecord(group, (current) => replaceDocument(groupKind, current, sent));
      if (members === undefined)
        return groups.transform(by, id, precondition, async (group) => ({ record: await record(group) }));
      const ids = memberIds?.get(members) ?? (await parseMemberIds(members));
      admitMembers(context, ids.length);
      return groups.replaceMembers(by, id, precondition, { record, ids });
    },

    async update(context, { id, precondition }, { json }) {
      const by = originOf(context);
      const turn = turnOf(context, parts);
      const operations = await runInTurns(parsePatch(groupKind, json), turn);
      const record = (group: StoredRecord) =>
        changeRecord(group, (current) => runInTurns(applyPatch(groupKind, current, operations), turn));
      await giveWay(context, parts);
      const members = memberChange(operations);
      if (!members)
        return groups.transform(by, id, precondition, async (group) => ({ record: await record(group) }));
      const { add, remove, replace: ids } = members;
      admitMembers(context, add.length + remove.length + (ids?.length ?? 0));
      const isForMembers = operations.every(isMemberOperation);
      if (!ids)
        return groups.transform(by, id, precondition, async (group) => ({
          // A record that stays the same has to be the same when the members change.
          record: isForMembers ? undefined : ((await record(group)) ?? parseGroup(group.json).record),
          members: { add, remove },
        }));
      // A group of any size can be emptied. It takes several transactions then.
      const mostChanges = ids.length > 0 ? scimLimits.memberChanges : undefined;
      return groups.replaceMembers(by, id, precondition, { record, ids, mostChanges });
    },

    remove: (context, { id, precondition }) => groups.remove(originOf(context), id, precondition),
    show(context, { view, ...shown }) {
      const written = createGroupWriter(context, parts, view).write(parseRecord(shown.record));
      return respondWithResource(context, parts, written, shown);
    },
    showsAfterUpdate: ({ attributes }) => attributes !== undefined,
  };
}
