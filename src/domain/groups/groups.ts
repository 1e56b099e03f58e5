import { type GroupRecord, membershipLimits } from "../../contract/groups/group.ts";
import type { GroupColumn } from "../../contract/groups/group-fields.ts";
import type { Origin } from "../caller.ts";
import { FieldErrors } from "../field-errors.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";
import { ProblemError } from "../problem-error.ts";
import type { RecordLimits } from "../records/check-record.ts";
import type { StoredRecord } from "../records/record.ts";
import { Records } from "../records/records.ts";
import { KeyedMutex } from "../scheduling/keyed-mutex.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import { groupCheck } from "./check-group.ts";
import { parseGroup } from "./group.ts";
import type { GroupChange, GroupStore, MemberPatch } from "./group-store.ts";
import type { Ids } from "./id-list.ts";
import { differenceOfMembers } from "./member-ids.ts";
import { sortIds } from "./sort-ids.ts";

/** A change of a group: the whole new record, members to add and to remove, or both. */
export interface GroupTransformation {
  readonly record?: GroupRecord | undefined;
  readonly members?: MemberPatch | undefined;
}

/** All members of a group, and what its new record is, if it has one. */
export interface MemberReplacement {
  readonly record?: ((group: StoredRecord) => MaybePromise<GroupRecord | undefined>) | undefined;
  readonly ids: Ids;
  /** With this limit, all changes of members are one transaction. More fail with `too-large`. */
  readonly mostChanges?: number | undefined;
}

const { changesPerEvent } = membershipLimits;

/** Ids that are checked at once, in a fraction of a millisecond. */
const STEP_IDS = 1000;

/** How often members are read again because others have changed the group. Then the difference is applied to the members as they are. */
const MAX_EXACT_READS = 5;

/** What callers can do with groups. Methods throw a `ProblemError` if they fail. */
export class Groups extends Records<GroupRecord, GroupColumn, "group"> {
  readonly #groups: GroupStore;
  readonly #limits: RecordLimits;
  /** The members of a group are replaced by one caller at a time. */
  readonly #replacements = new KeyedMutex();
  /** The last id that a user was given, when it was read. */
  #lastUserId = 0;

  constructor(store: GroupStore, limits: RecordLimits, running: RunningKeys) {
    super({ kind: "group", store, check: groupCheck, limits, running, fingerprintPrefix: "groups:" });
    this.#groups = store;
    this.#limits = limits;
  }

  /**
   * Creates a group with members. Ids of deleted users are skipped. The first 1,000 are part of the transaction that creates the group,
   * others follow in transactions of 1,000.
   */
  async createWithMembers(by: Origin, record: GroupRecord, memberIds: Ids): Promise<StoredRecord> {
    const checked = groupCheck.whole(record, this.#limits);
    const ids = await sortIds(memberIds);
    const part = (start: number) => Array.from(ids.subarray(start, start + changesPerEvent));
    const attempt = { record: checked, members: part(0) };
    await this.#checkUserIds(ids, "/members");
    const { outcome } = await this.#groups.create(attempt, undefined, by);
    if ("problem" in outcome) throw ProblemError.of(outcome.problem);
    let { group } = outcome;
    for (let start = changesPerEvent; start < ids.length; start += changesPerEvent) {
      group = await this.#write(by, group, { members: { add: part(start), remove: [] } }, undefined);
    }
    return group;
  }

  /**
   * Makes the change that `change` computes from a group, in one transaction. If others change the record in between, it is computed
   * again. Members are added and removed whatever else others change; ids of deleted users are skipped. If `change` returns
   * undefined, nothing is written.
   */
  async transform(
    by: Origin,
    id: number,
    precondition: Precondition | undefined,
    change: (group: StoredRecord) => MaybePromise<GroupTransformation | undefined>,
  ): Promise<StoredRecord> {
    const apply = async (group: StoredRecord, changed: GroupTransformation | undefined) => {
      await this.#checkUserIds(changed?.members?.add ?? [], "/add");
      return this.#write(by, group, changed ?? {}, precondition);
    };
    const group = await this.read(id, precondition);
    const changed = await change(group);
    // A change of members alone waits for nobody.
    if (!changed?.record) return apply(group, changed);
    return this.computeChange(id, precondition, async (current) => apply(current, await change(current)));
  }

  /**
   * Makes exactly these users the members of a group, and changes its record. Ids of deleted users are skipped. Up to 1,000 changes of
   * members are one transaction with the change of the record. More are transactions of 1,000 each, the first one with the record: if
   * one of them fails, a repeated call continues.
   */
  replaceMembers(
    by: Origin,
    id: number,
    precondition: Precondition | undefined,
    { record, ids, mostChanges }: MemberReplacement,
  ): Promise<StoredRecord> {
    return this.#replacements.run(id, async () => {
      let reads = 0;
      const { written, second, patches } = await this.computeChange(id, precondition, async (group) => {
        await this.#checkUserIds(ids, "/members");
        const patchChanges = mostChanges ?? changesPerEvent;
        const patches = differenceOfMembers(this.#groups, { groupId: id, ids, patchChanges });
        const first = await patches.next();
        const second = await patches.next();
        if (mostChanges !== undefined && !second.done)
          throw new ProblemError("too-large", `One request changes at most ${mostChanges} members.`);
        const changed = { record: await record?.(group), members: first.done ? undefined : first.value };
        const isExact = second.done && ++reads <= MAX_EXACT_READS;
        const unchanged = { match: [group.version], noneMatch: undefined };
        const written = await this.#write(by, group, changed, isExact ? unchanged : precondition);
        return { written, second, patches };
      });
      let group = written;
      for (let next = second; !next.done; next = await patches.next()) {
        group = await this.#write(by, group, { members: next.value }, undefined);
      }
      return group;
    });
  }

  /** The group cannot be restored. */
  remove(by: Origin, id: number, precondition: Precondition | undefined): Promise<void> {
    return this.#groups.remove(id, precondition, by);
  }

  /** Fails with `version-mismatch` if the group has another record by now, and the change has one. */
  async #write(
    by: Origin,
    group: StoredRecord,
    { record, members }: GroupTransformation,
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    const hasMembers = members !== undefined && members.add.length + members.remove.length > 0;
    if (!record && !hasMembers) return group;
    const change: GroupChange = {
      ...(record && {
        edit: { replace: groupCheck.whole(record, this.#limits, group.id) },
        from: parseGroup(group.json).record,
      }),
      ...(hasMembers && { members, skipMissing: true }),
    };
    return (await this.#groups.change(group.id, change, precondition, by)).group;
  }

  /** Fails with `invalid-group` if no user has ever had one of the ids. */
  async #checkUserIds(ids: Iterable<number>, pointer: string): Promise<void> {
    const errors = new FieldErrors();
    let isRead = false;
    let index = 0;
    for (const id of ids) {
      if (id > this.#lastUserId && !isRead) {
        this.#lastUserId = await this.#groups.lastUserId();
        isRead = true;
      }
      if (id > this.#lastUserId) errors.add(`${pointer}/${index}`, `There is no user ${id}.`);
      if (errors.full) break;
      if (++index % STEP_IDS === 0 && loopShare.isSpent) await loopShare.nextTurn();
    }
    errors.throwIfAny("invalid-group");
  }
}
