import type { Json } from "../../contract/json.ts";
import { foldEmail } from "../../domain/fold.ts";
import type { GroupEdit } from "../../domain/groups/group.ts";
import type { Membership } from "../../domain/groups/group-store.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { Edit } from "../../domain/users/user.ts";
import { isMembershipChange } from "../../domain/users/user-store.ts";
import {
  requestedUserName,
  requestedValues,
  type UniqueValue,
  USER_NAME,
  uniqueKey,
} from "../schema/unique-values.ts";
import type { ParsedWrite } from "./apply-write.ts";
import { matchesByName, uniqueNameOf } from "./import-groups.ts";
import { emailKeyOf, matchedValue, matchesByEmail } from "./import-users.ts";

type Fields = { readonly [field: string]: Json | undefined };

/** A create of a batch, before its id is known. */
export interface PlannedCreate {
  readonly emailKey: string | null;
  readonly userName: string | null;
  readonly idempotencyKey: IdempotencyKey | undefined;
}

/** What a batch must read before its writes can be applied in memory. */
export interface WriteLookups {
  readonly creates: readonly PlannedCreate[];
  readonly idempotencyKeys: readonly IdempotencyKey[];
  /** Emails and user names that must be free, folded. */
  readonly names: readonly string[];
  /** The users to change: by id, and by folded email or user name. */
  readonly ids: readonly number[];
  readonly matchedNames: readonly string[];
  /** Those of the users to change whose emails may become their user names, or that have a user name which must be free. */
  readonly renamedIds: readonly number[];
  /** The deleted users to restore or purge. */
  readonly deletedIds: readonly number[];
  /** Values of unique fields that must be free, and the values of the users to change. */
  readonly values: readonly UniqueValue[];
  readonly matchedValues: readonly UniqueValue[];
  readonly groups: GroupLookups;
}

/** A create of a group, before its id is known. */
export interface PlannedGroup {
  /** Folded. */
  readonly name: string | null;
  readonly idempotencyKey: IdempotencyKey | undefined;
}

interface GroupLookups {
  readonly creates: readonly PlannedGroup[];
  /** The groups to change, by id and by folded name, and those whose members a condition tests. */
  readonly ids: readonly number[];
  readonly matchedNames: readonly string[];
  /** Names that must be free, folded. */
  readonly names: readonly string[];
  /** Users that must exist, to add or remove them; none if other users are locked: then `ids` has them. */
  readonly userIds: readonly number[];
  readonly memberships: readonly Membership[];
  /** Users that leave all their groups, or that must have any; and deleted users that come back to theirs. */
  readonly withGroupsIds: readonly number[];
  readonly returningIds: readonly number[];
}

export function* collectLookups(writes: readonly ParsedWrite[], rules: RecordRules): Steps<WriteLookups> {
  const creates: PlannedCreate[] = [];
  const idempotencyKeys: IdempotencyKey[] = [];
  const names = new Set<string>();
  const matchedNames = new Set<string>();
  const renamedIds = new Set<number>();
  const ids = new Set<number>();
  const deletedIds = new Set<number>();
  const values = new Map<string, UniqueValue>();
  const matchedValues = new Map<string, UniqueValue>();
  const plannedGroups: PlannedGroup[] = [];
  const groups = {
    ids: new Set<number>(),
    matchedNames: new Set<string>(),
    names: new Set<string>(),
    userIds: new Set<number>(),
    withGroupsIds: new Set<number>(),
    returningIds: new Set<number>(),
  };
  const memberships: Membership[] = [];
  const addValues = (fields: Fields) => {
    for (const value of requestedValues(fields, rules)) values.set(uniqueKey(value), value);
  };
  const addNames = ({ email, userName }: Fields) => {
    if (typeof email === "string") names.add(foldEmail(email));
    if (typeof userName === "string") names.add(foldEmail(userName));
  };
  const addEdit = (edit: Edit, ids: readonly number[]) => {
    const fields: Fields = "replace" in edit ? edit.replace : edit.merge;
    addNames(fields);
    addValues(fields);
    if ("replace" in edit ? fields.userName === undefined : fields.userName === null) {
      for (const id of ids) renamedIds.add(id);
    }
  };
  const addGroupName = (edit: GroupEdit) => {
    const { name }: Fields = "replace" in edit ? edit.replace : edit.merge;
    if (typeof name === "string") groups.names.add(foldEmail(name.trim()));
  };
  const addMemberships = function* (groupIds: readonly number[], userIds: readonly number[]) {
    for (const groupId of groupIds) {
      groups.ids.add(groupId);
      for (const userId of userIds) memberships.push({ groupId, userId });
      yield;
    }
  };
  for (const write of writes) {
    yield;
    if (write.kind === "parsed-import" && write.records === "groups") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      for (const attempt of write.attempts) {
        yield;
        if ("problem" in attempt) continue;
        const name = uniqueNameOf(attempt);
        if (name !== undefined) groups.names.add(name);
        if (attempt.id !== undefined) groups.ids.add(attempt.id);
        else if (name !== undefined) plannedGroups.push({ name, idempotencyKey: write.idempotencyKey });
        if (name !== undefined && matchesByName(write.options)) groups.matchedNames.add(name);
      }
    } else if (write.kind === "create" || write.kind === "parsed-import") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      const byEmail = write.kind === "parsed-import" && matchesByEmail(write.options);
      for (const attempt of write.kind === "create" ? [write.attempt] : write.attempts) {
        yield;
        if ("problem" in attempt) continue;
        addValues("record" in attempt ? attempt.record : attempt.merge);
        const matched = write.kind === "parsed-import" ? matchedValue(attempt, write.options) : undefined;
        if (matched?.field === USER_NAME) matchedNames.add(matched.value);
        else if (matched) matchedValues.set(uniqueKey(matched), matched);
        const fields = "record" in attempt ? attempt.record : attempt.merge;
        addNames(fields);
        const emailKey = emailKeyOf(attempt) ?? null;
        if (byEmail && emailKey !== null) matchedNames.add(emailKey);
        if ("id" in attempt && attempt.id !== undefined) {
          ids.add(attempt.id);
          continue;
        }
        const userName = requestedUserName(fields)?.value ?? null;
        creates.push({ emailKey, userName, idempotencyKey: write.idempotencyKey });
      }
    } else if (write.kind === "change-many") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      const { change, condition } = write;
      const isMembership = isMembershipChange(change);
      const kept = isMembership && !condition?.expression ? groups.userIds : ids;
      for (const id of write.ids) (change === "restore" ? deletedIds : kept).add(id);
      if (typeof change === "string") {
        const moving = change === "restore" ? groups.returningIds : groups.withGroupsIds;
        for (const id of write.ids) moving.add(id);
      } else if (isMembership) yield* addMemberships([change.groupId], write.ids);
      else addEdit(change, write.ids);
      for (const { by, values } of condition?.memberships ?? []) {
        if (by === "any") for (const id of write.ids) groups.withGroupsIds.add(id);
        else yield* addMemberships(values, write.ids);
      }
    } else if (write.kind === "purge-old") {
      for (const id of write.ids) deletedIds.add(id);
    } else if (write.kind === "restore" || write.kind === "purge") {
      deletedIds.add(write.id);
      if (write.kind === "restore") {
        addNames(write.changes);
        groups.returningIds.add(write.id);
      }
    } else if (write.kind === "settle") {
      for (const id of write.ids) {
        ids.add(id);
        renamedIds.add(id);
      }
    } else if (write.kind === "create-group") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      if ("problem" in write.attempt) continue;
      for (const userId of write.attempt.members ?? []) groups.userIds.add(userId);
      const name = foldEmail(write.attempt.record.name);
      groups.names.add(name);
      plannedGroups.push({ name, idempotencyKey: write.idempotencyKey });
    } else if (write.kind === "remove-group") {
      groups.ids.add(write.id);
    } else if (write.kind === "change-group") {
      const { id: groupId, change } = write;
      const { add = [], remove = [] } = change.members ?? {};
      groups.ids.add(groupId);
      if (change.edit) addGroupName(change.edit);
      for (const userId of add) groups.userIds.add(userId);
      for (const userIds of [add, remove]) {
        for (const userId of userIds) {
          memberships.push({ groupId, userId });
          yield;
        }
      }
    } else if (write.kind === "import-members") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      for (const line of write.lines) {
        if (typeof line === "string") continue;
        groups.ids.add(line.groupId);
        groups.userIds.add(line.userId);
        memberships.push(line);
      }
    } else if (write.kind === "set-member") {
      groups.ids.add(write.id);
      groups.userIds.add(write.userId);
      memberships.push({ groupId: write.id, userId: write.userId });
    } else {
      ids.add(write.id);
      if (write.kind === "remove") groups.withGroupsIds.add(write.id);
      if (write.kind === "edit") addEdit(write.edit, [write.id]);
    }
  }
  // Users are locked by one statement, in the order of their ids: transactions never wait for each other in a circle.
  if (ids.size + matchedNames.size + matchedValues.size > 0) {
    for (const id of groups.userIds) ids.add(id);
    groups.userIds.clear();
  }
  return {
    creates,
    idempotencyKeys,
    names: [...names],
    ids: [...ids],
    matchedNames: [...matchedNames],
    renamedIds: [...renamedIds],
    deletedIds: [...deletedIds],
    values: [...values.values()],
    matchedValues: [...matchedValues.values()],
    groups: {
      creates: plannedGroups,
      ids: [...groups.ids],
      matchedNames: [...groups.matchedNames],
      names: [...groups.names],
      userIds: [...groups.userIds],
      memberships,
      withGroupsIds: [...groups.withGroupsIds],
      returningIds: [...groups.returningIds],
    },
  };
}
