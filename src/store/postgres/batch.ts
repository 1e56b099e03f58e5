import { foldEmail } from "../../domain/fold.ts";
import type { Membership } from "../../domain/groups/group-store.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { runInTurns, type Steps } from "../../domain/scheduling/steps.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { parseUser, userNameKey } from "../../domain/users/user.ts";
import { type SchemaState, toSchemaState } from "../schema/schema-state.ts";
import { requestedValues, type UniqueValue, USER_NAME, uniqueKey } from "../schema/unique-values.ts";
import { type BatchChanges, type BatchLookup, outcomeMapKey } from "../writes/in-memory-batch.ts";
import type { GroupLookup } from "../writes/in-memory-groups.ts";
import { parseStoredIds } from "../writes/stored-ids.ts";
import type { StoredOutcome } from "../writes/stored-outcome.ts";
import { RefusedWriteError } from "../writes/write-batch.ts";
import type { WriteLookups } from "../writes/write-lookups.ts";
import type { DeletedUser, GroupRow, UserRow } from "../writes/write-transaction.ts";
import type { ReservedConnection } from "./driver.ts";
import { isServerError } from "./error-codes.ts";
import {
  FIND_GROUP_NAMES,
  FIND_MEMBERSHIPS_OF,
  findMemberships,
  KEEP_USERS,
  LOCK_GROUPS,
  LOCK_MATCHING_GROUPS,
  takeGroupIds,
} from "./group-changes.ts";
import { READ_SCHEMA, READ_SCHEMA_STATE, REQUIRE_SCHEMA } from "./schema-lock.ts";
import { type BatchFacts, writeChanges } from "./write-changes.ts";
import * as statements from "./write-statements.ts";

/** The state of the schema, and the number of the change that led to it. */
export interface LockedSchema extends SchemaState {
  readonly change: number;
}

type Row = readonly unknown[];
type Rows = readonly Row[];
/** Sends a query if it is needed. */
type Query = (needed: boolean, text: string, values: () => string[]) => Promise<Rows>;

/** The transaction of a batch, on a reserved connection. Statements sent without waiting share a round trip. */
export class Batch {
  /** Whether PostgreSQL may have committed although `commit` failed. */
  inDoubt = false;
  /** How long the transaction may take, in the time of the server. */
  #allowedMs = 0;

  readonly #sql: ReservedConnection;
  /** Running time until the first of the writes is refused. */
  readonly #leftMs: () => number;

  constructor(sql: ReservedConnection, leftMs: () => number) {
    this.#sql = sql;
    this.#leftMs = leftMs;
  }

  /**
   * Begins, locks the users to change and reads what the writes depend on, in one round trip. Every node locks users first, then
   * deleted users, then groups: so nodes never wait for each other in a circle. With `lockSchema`, the schema does not change before
   * the end of the batch.
   */
  async begin(
    lookups: WriteLookups,
    now: number,
    rules: RecordRules,
    lockSchema: boolean,
  ): Promise<Omit<BatchLookup, "rules"> & { readonly schema: LockedSchema | undefined }> {
    const { creates, idempotencyKeys, names, ids, matchedNames, deletedIds, values, matchedValues, groups } =
      lookups;
    const query: Query = (needed, text, values) =>
      needed ? this.#sql.unsafe(text, values()).values() : Promise.resolve([]);
    const {
      LOCK_USERS,
      LOCK_DELETED_USERS,
      FIND_NAMES,
      findOutcomes,
      takeIds,
      findValues,
      lockMatchingUsers,
    } = statements;
    const idArray = `{${ids.join()}}`;
    const matched = { ids: idArray, names: JSON.stringify(matchedNames) };
    const time = { now: String(now) };
    const [found, groupLookup] = await Promise.all([
      Promise.all([
        // The transaction began before this response: it has at most the time that is left now.
        this.#sql`BEGIN`.then(() => {
          this.#allowedMs = Math.floor(this.#leftMs());
        }),
        query(lockSchema, READ_SCHEMA_STATE, () => ["now"]),
        matchedNames.length + matchedValues.length > 0
          ? query(true, lockMatchingUsers.text, () =>
              lockMatchingUsers.parameters(matched, { values: matchedValues }),
            )
          : query(ids.length > 0, LOCK_USERS, () => [idArray]),
        query(groups.userIds.length > 0, KEEP_USERS, () => [`{${groups.userIds.join()}}`]),
        query(names.length > 0, FIND_NAMES, () => [JSON.stringify(names)]),
        query(idempotencyKeys.length > 0, findOutcomes.text, () =>
          findOutcomes.parameters(time, { keys: idempotencyKeys }),
        ),
        query(creates.length > 0, takeIds.text, () => takeIds.parameters(time, { creates })),
        query(deletedIds.length > 0, LOCK_DELETED_USERS, () => [`{${deletedIds.join()}}`]),
        query(values.length > 0, findValues.text, () => findValues.parameters({}, { values })),
      ]),
      this.#findGroups(groups, query, time),
    ]);
    const [, state, lockedRows, keptRows, owners, outcomes, newIds, deletedRows, valueOwners] = found;
    const rows = lockedRows.map(toUserRow);
    const deleted = deletedRows.map(toDeletedUser);
    const renamed = new Set(lookups.renamedIds);
    const named = rows.filter(({ id, json }) => renamed.has(id) && json.includes(`"${USER_NAME}":`));
    const taken = await runInTurns(collectTaken([...deleted, ...named], rules), { first: true });
    const [moved, otherOwners, otherValueOwners] = await Promise.all([
      this.#findGroupsOfMoved(groups, groupLookup, deleted, query),
      query(taken.names.length > 0, FIND_NAMES, () => [JSON.stringify(taken.names)]),
      query(taken.values.length > 0, findValues.text, () =>
        findValues.parameters({}, { values: taken.values }),
      ),
    ]);
    return {
      schema: state[0] && toLockedSchema(state[0]),
      rows,
      deleted,
      ...toOwners([...owners, ...otherOwners], [...valueOwners, ...otherValueOwners]),
      outcomes: new Map(outcomes.map(toOutcome)),
      ids: newIds.map(([id]) => Number(id)),
      maxCreates: creates.length,
      groups: { ...groupLookup, ...moved, userIds: keptRows.map(([id]) => Number(id)) },
    };
  }

  /** Locks the groups to change, and reads what the writes of groups depend on. */
  async #findGroups(
    { ids, matchedNames, names, creates, memberships, withGroupsIds, returningIds }: WriteLookups["groups"],
    query: Query,
    time: { readonly now: string },
  ): Promise<Omit<GroupLookup, "userIds">> {
    const locksNow = withGroupsIds.length + returningIds.length === 0;
    const [locked, owners, newIds, ofGroups, ofLeaving] = await Promise.all([
      locksNow ? lockGroups(ids, matchedNames, query) : [],
      query(names.length > 0, FIND_GROUP_NAMES, () => [JSON.stringify(names)]),
      query(creates.length > 0, takeGroupIds.text, () => takeGroupIds.parameters(time, { creates })),
      // Nobody changes the members of the groups now: they are locked.
      query(locksNow && memberships.length > 0, findMemberships.text, () =>
        findMemberships.parameters({}, { memberships }),
      ),
      query(withGroupsIds.length > 0, FIND_MEMBERSHIPS_OF, () => [`{${withGroupsIds.join()}}`]),
    ]);
    return {
      rows: locked.map(toGroupRow),
      names: new Map(owners.map(([name, id]) => [String(name), Number(id)])),
      ids: newIds.map(([id]) => Number(id)),
      maxCreates: creates.length,
      memberships: [...ofGroups, ...ofLeaving].map(toMembership),
    };
  }

  /**
   * If users leave or come back, or must have any groups: locks all groups at once, now that it is known which groups they have. Most
   * have none: then no round trip is needed. Other transactions cannot add the users to groups until this one ends, because the users are locked.
   */
  async #findGroupsOfMoved(
    { ids, matchedNames, memberships, withGroupsIds, returningIds }: WriteLookups["groups"],
    found: Pick<GroupLookup, "memberships">,
    deleted: readonly DeletedUser[],
    query: Query,
  ): Promise<Partial<Pick<GroupLookup, "rows" | "memberships">>> {
    if (withGroupsIds.length + returningIds.length === 0) return {};
    const returning = new Set(returningIds);
    const groupIds = new Set([
      ...ids,
      ...found.memberships.map(({ groupId }) => groupId),
      ...deleted.flatMap(({ id, groups }) => (returning.has(id) ? groups : [])),
    ]);
    const [locked, ofGroups, ofLeaving] = await Promise.all([
      lockGroups([...groupIds], matchedNames, query),
      query(memberships.length > 0, findMemberships.text, () =>
        findMemberships.parameters({}, { memberships }),
      ),
      // Others may have removed some of them before the groups were locked.
      query(found.memberships.length > 0, FIND_MEMBERSHIPS_OF, () => [`{${withGroupsIds.join()}}`]),
    ]);
    return { rows: locked.map(toGroupRow), memberships: [...ofGroups, ...ofLeaving].map(toMembership) };
  }

  /** The schema of this version. */
  async readSchema(version: number): Promise<string> {
    if (version === 0) return "{}";
    const [row] = await this.#sql.unsafe(READ_SCHEMA, [String(version)]).values();
    return String(row?.[0]);
  }

  /** Takes ids of users and groups, without checking emails and names. */
  async takeIds(users: number, groups: number): Promise<{ users: number[]; groups: number[] }> {
    const time = { now: "0" };
    const unchecked = { emailKey: null, userName: null, name: null, idempotencyKey: undefined };
    const creates = (count: number) => Array.from({ length: Math.max(0, count) }, () => unchecked);
    const take = async (statement: typeof statements.takeIds | typeof takeGroupIds, values: string[]) => {
      const rows: Rows = await this.#sql.unsafe(statement.text, values).values();
      return rows.map(([id]) => Number(id));
    };
    const [userIds, groupIds] = await Promise.all([
      take(statements.takeIds, statements.takeIds.parameters(time, { creates: creates(users) })),
      take(takeGroupIds, takeGroupIds.parameters(time, { creates: creates(groups) })),
    ]);
    return { users: userIds, groups: groupIds };
  }

  /**
   * Writes the changes and commits, in one round trip. Before this call, the batch has changed nothing. `mayCommit` is asked just
   * before COMMIT is sent. A server that was frozen in between does not commit either: the last statement before it fails.
   */
  async commit(
    changes: BatchChanges,
    facts: Omit<BatchFacts, "allowedMs">,
    mayCommit: () => boolean,
  ): Promise<void> {
    const sent: Promise<unknown>[] = [];
    const send = (text: string, values: string[]) => {
      const statement = this.#sql.unsafe(text, values).execute();
      // All statements are awaited later. Until then, a failure must not count as an unhandled rejection.
      statement.catch(() => undefined);
      sent.push(statement);
    };
    const allowedMs = this.#allowedMs;
    await runInTurns(writeChanges(changes, { ...facts, allowedMs }, send), { first: true });
    if (!mayCommit()) throw new RefusedWriteError();
    await this.#awaitCommit(Promise.all(sent), this.#sql`COMMIT`);
  }

  /** Sets `inDoubt` if it fails. */
  async #awaitCommit(
    writing: Promise<unknown>,
    committing: PromiseLike<{ command?: string }>,
  ): Promise<void> {
    let written = false;
    const noteWritten = writing.then(() => {
      written = true;
    });
    try {
      const [, { command }] = await Promise.all([noteWritten, committing]);
      // COMMIT of a failed transaction succeeds, and reports ROLLBACK.
      if (command !== "COMMIT") throw new Error("PostgreSQL did not commit.");
    } catch (error) {
      // The server handles statements in order: if it rejected a write, it had not reached the COMMIT.
      this.inDoubt = written || !isServerError(error);
      throw error;
    }
  }

  async rollback(): Promise<void> {
    await this.#sql`ROLLBACK`;
  }

  /** Ends a batch that has nothing to write. Fails if the schema has changed: the writes may have other outcomes now. */
  async end(schemaChange: number): Promise<void> {
    await Promise.all([
      this.#sql.unsafe(REQUIRE_SCHEMA, [String(schemaChange)]).execute(),
      this.#sql`ROLLBACK`,
    ]);
  }
}

/** Locks the groups with these ids or folded names. */
function lockGroups(ids: readonly number[], names: readonly string[], query: Query): Promise<Rows> {
  const idArray = `{${ids.join()}}`;
  return names.length > 0
    ? query(true, LOCK_MATCHING_GROUPS, () => [idArray, JSON.stringify(names)])
    : query(ids.length > 0, LOCK_GROUPS, () => [idArray]);
}

function toLockedSchema([version, collecting, clock, change]: Row): LockedSchema {
  return { ...toSchemaState(version, collecting, Number(clock)), change: Number(change) };
}

function toUserRow([id, version, json, updatedAt, by, userNameKey]: Row): UserRow {
  const changedBy = by === null ? null : Number(by);
  return {
    id: Number(id),
    version: Number(version),
    json: String(json),
    updatedAt: Number(updatedAt),
    changedBy,
    userNameKey: userNameKey === null ? null : String(userNameKey),
  };
}

function toMembership([groupId, userId]: Row): Membership {
  return { groupId: Number(groupId), userId: Number(userId) };
}

function toGroupRow([id, version, json, updatedAt, by, memberCount]: Row): GroupRow {
  return {
    id: Number(id),
    version: Number(version),
    json: String(json),
    updatedAt: Number(updatedAt),
    changedBy: by === null ? null : Number(by),
    memberCount: Number(memberCount),
  };
}

/** The owners of emails, and of user names and unique values. */
function toOwners(nameRows: Rows, valueRows: Rows): Pick<BatchLookup, "emails" | "values"> {
  const emails = new Map<string, number>();
  const values = new Map<string, number>();
  const add = (field: string, value: unknown, id: unknown) =>
    values.set(uniqueKey({ field, value: String(value) }), Number(id));
  for (const [name, id, isUserName] of nameRows) {
    if (isUserName !== null) emails.set(String(name), Number(id));
    if (isUserName !== false) add(USER_NAME, name, id);
  }
  for (const [field, value, id] of valueRows) add(String(field), value, id);
  return { emails, values };
}

function toDeletedUser([id, version, json, deletedAt, groups]: Row): DeletedUser {
  return {
    id: Number(id),
    version: Number(version),
    json: String(json),
    deletedAt: Number(deletedAt),
    groups: parseStoredIds(groups === null ? null : String(groups)),
  };
}

/** What users need to be restored or renamed: their folded emails and user names, and their values of unique fields. */
function* collectTaken(
  users: readonly StoredRecord[],
  rules: RecordRules,
): Steps<{ names: string[]; values: UniqueValue[] }> {
  const names: string[] = [];
  const values: UniqueValue[] = [];
  for (const { json } of users) {
    const { record } = parseUser(json);
    const userName = userNameKey(record);
    if (userName !== null) names.push(userName);
    if (record.email !== undefined) names.push(foldEmail(record.email));
    values.push(...requestedValues(record, rules));
    yield;
  }
  return { names, values };
}

function toOutcome([caller, key, fingerprint, outcome, expiresAt]: Row): [string, StoredOutcome] {
  return [
    outcomeMapKey({ caller: String(caller), key: String(key) }),
    {
      fingerprint: String(fingerprint),
      outcome: JSON.parse(String(outcome)),
      expiresAt: Number(expiresAt),
    },
  ];
}
