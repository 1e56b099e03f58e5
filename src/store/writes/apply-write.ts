import { idempotency } from "../../contract/users/user.ts";
import type { Origin } from "../../domain/caller.ts";
import type {
  GroupAttempt,
  GroupChange,
  GroupChangeOutcome,
  GroupCreateOutcome,
  MembershipLine,
  MembershipsOutcome,
} from "../../domain/groups/group-store.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { Precondition } from "../../domain/precondition.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import type { RestoreChanges } from "../../domain/users/check-user.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { Edit } from "../../domain/users/user.ts";
import {
  type Attempt,
  type BulkChange,
  type ChangeCondition,
  type CreateOutcome,
  isMembershipChange,
  type MembershipChange,
} from "../../domain/users/user-store.ts";
import { readGroup, removeGroup } from "./change-group.ts";
import { changeWithMembers, createWithMembers, importMembers, setMember } from "./change-members.ts";
import {
  createUser,
  editUser,
  purgeUser,
  readCurrent,
  readDeleted,
  removeUser,
  restoreUser,
  settleUser,
} from "./change-user.ts";
import { checkCondition } from "./check-condition.ts";
import { problemOr } from "./import-kind.ts";
import { applyLines, type ParsedImport, type RawImport, replayLines } from "./import-lines.ts";
import { MemberChanges } from "./member-changes.ts";
import {
  type CreateAttempt,
  type CreatedGroup,
  type CreatedUser,
  deletedUserNotFound,
  findUserProblem,
  fromRuns,
  type ImportResults,
  type PackedResult,
  type Problem,
  packExisting,
  replayImport,
  replayMemberships,
  replayRefusal,
  SKIPPED,
  type StoredImport,
  type StoredOutcome,
  toStoredCreate,
  toStoredImport,
  toStoredMemberships,
  userNotFound,
} from "./stored-outcome.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/** A write as plain data, which can be sent to the writer thread. */
export type Write = ParsedWrite | RawImport;

/** A write whose records have been parsed and checked. */
export type ParsedWrite = { readonly by: Origin } & (
  | {
      readonly kind: "create";
      readonly attempt: Attempt;
      readonly idempotencyKey: IdempotencyKey | undefined;
    }
  | ParsedImport
  | ManyChanges
  | {
      readonly kind: "edit";
      readonly id: number;
      readonly edit: Edit;
      readonly precondition: Precondition | undefined;
    }
  | {
      readonly kind: "remove";
      readonly id: number;
      readonly precondition: Precondition | undefined;
      readonly purge: boolean;
    }
  | {
      readonly kind: "restore";
      readonly id: number;
      readonly changes: RestoreChanges;
      readonly precondition: Precondition | undefined;
    }
  | { readonly kind: "purge"; readonly id: number; readonly precondition: Precondition | undefined }
  | {
      readonly kind: "create-group";
      readonly attempt: GroupAttempt;
      readonly idempotencyKey: IdempotencyKey | undefined;
    }
  | {
      readonly kind: "change-group";
      readonly id: number;
      readonly change: GroupChange;
      readonly precondition: Precondition | undefined;
    }
  | { readonly kind: "remove-group"; readonly id: number; readonly precondition: Precondition | undefined }
  | {
      readonly kind: "set-member";
      readonly id: number;
      readonly userId: number;
      readonly isMember: boolean;
      readonly precondition: Precondition | undefined;
    }
  | {
      readonly kind: "import-members";
      readonly lines: readonly MembershipLine[];
      readonly removes: boolean;
      readonly idempotencyKey: IdempotencyKey | undefined;
    }
  | { readonly kind: "settle"; readonly ids: readonly number[] }
  | { readonly kind: "purge-old"; readonly ids: readonly number[]; readonly before: number }
);

/** The same change to many users. */
interface ManyChanges {
  readonly kind: "change-many";
  readonly ids: readonly number[];
  readonly change: BulkChange;
  readonly condition: ChangeCondition | undefined;
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly by: Origin;
}

/** Result of a write, with the `kind` of the write, or why the write failed. */
export type WriteOutcome =
  | ({ readonly kind: "create" } & CreateOutcome)
  | ({ readonly kind: "import" | "change-many" } & RawImportOutcome)
  | { readonly kind: "edit" | "restore"; readonly user: StoredRecord }
  | { readonly kind: "remove" | "purge" | "remove-group" | "set-member" }
  | ({ readonly kind: "import-members" } & MembershipsOutcome)
  | ({ readonly kind: "create-group" } & GroupCreateOutcome)
  | ({ readonly kind: "change-group" } & GroupChangeOutcome)
  | { readonly kind: "settle"; readonly moved: number }
  | { readonly kind: "purge-old"; readonly purged: number }
  | { readonly kind: "problem"; readonly problem: ProblemData }
  | { readonly kind: "failure"; readonly failure: string };

interface RawImportOutcome {
  readonly users: ImportResults;
  /** The ids of a replayed bulk change: the first request may have had others. */
  readonly storedIds?: readonly number[];
  readonly replayed: boolean;
}

/** How much a write counts towards the size of a batch. */
export function writeWeight(write: Write): number {
  if (write.kind === "import" || write.kind === "import-members") return write.lines.length;
  if (write.kind === "change-group") {
    const { add = [], remove = [] } = write.change.members ?? {};
    return 1 + add.length + remove.length;
  }
  if (write.kind === "create-group" && "record" in write.attempt) {
    return 1 + (write.attempt.members?.length ?? 0);
  }
  return "ids" in write ? write.ids.length : 1;
}

/** Applies each write, or returns its problem and changes nothing for it. The same on every engine. */
export function* applyWrites(
  transaction: WriteTransaction,
  writes: readonly ParsedWrite[],
  rules: RecordRules,
): Steps<WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for (const write of writes) {
    outcomes.push(yield* applyWrite(transaction, write, rules));
    yield;
  }
  return outcomes;
}

function* applyWrite(
  transaction: WriteTransaction,
  write: ParsedWrite,
  rules: RecordRules,
): Steps<WriteOutcome> {
  const members = new MemberChanges(transaction, write.by);
  try {
    const outcome = yield* applyKind(transaction, write, rules, members);
    yield* members.record();
    return outcome;
  } catch (error) {
    if (error instanceof ProblemError) return { kind: "problem", problem: error.data };
    throw error;
  }
}

/** Fails with the problem of the write: then nothing has changed. */
function* applyKind(
  transaction: WriteTransaction,
  write: ParsedWrite,
  rules: RecordRules,
  members: MemberChanges,
): Steps<WriteOutcome> {
  switch (write.kind) {
    case "create": {
      const create = () => createUser(transaction, write.attempt, write.by, rules);
      return { kind: "create", ...createOnce(transaction, write, isUser, create) };
    }
    case "create-group": {
      const create = () => createWithMembers(transaction, write.attempt, write.by, members);
      return { kind: "create-group", ...createOnce(transaction, write, isGroup, create) };
    }
    case "change-group": {
      const outcome = yield* changeWithMembers(transaction, write, rules, members);
      return { kind: "change-group", ...outcome };
    }
    case "remove-group":
      removeGroup(transaction, readGroup(transaction, write.id, write.precondition), write.by);
      return { kind: "remove-group" };
    case "parsed-import": {
      const run = () => applyLines(transaction, write, rules);
      const replay = (stored: StoredImport) => replayLines(stored, write);
      const outcome = yield* runOnce(transaction, write.idempotencyKey, run, replay);
      return { kind: "import", ...outcome };
    }
    case "change-many": {
      const { ids, change, idempotencyKey } = write;
      const merge = typeof change === "object" && "merge" in change ? change.merge : {};
      const run = () => changeEach(transaction, write, rules, members);
      const replay = (stored: StoredImport, storedIds = ids) => {
        const attempts = storedIds.map((id) => ({ id, merge }));
        return replayImport(stored, attempts, findUserProblem);
      };
      const outcome = yield* runOnce(transaction, idempotencyKey, run, replay, ids);
      return { kind: "change-many", ...outcome };
    }
    case "edit": {
      const row = readCurrent(transaction, write.id, write.precondition);
      return { kind: "edit", user: editUser(transaction, row, write.edit, write.by, rules) };
    }
    case "remove":
      removeUser(
        transaction,
        readCurrent(transaction, write.id, write.precondition),
        write.by,
        write.purge,
        members,
      );
      return { kind: "remove" };
    case "restore": {
      const deleted = readDeleted(transaction, write.id, write.precondition);
      return {
        kind: "restore",
        user: restoreUser(transaction, deleted, write.changes, write.by, rules, members),
      };
    }
    case "purge":
      purgeUser(transaction, readDeleted(transaction, write.id, write.precondition), write.by);
      return { kind: "purge" };
    case "settle": {
      let moved = 0;
      for (const id of write.ids) {
        const row = transaction.read(id);
        if (row && settleUser(transaction, row)) moved++;
        yield;
      }
      return { kind: "settle", moved };
    }
    case "import-members": {
      const { lines, removes, idempotencyKey } = write;
      const stored = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
      if (stored && "results" in stored)
        return { kind: "import-members", results: replayMemberships(stored), bytes: 0, replayed: true };
      const imported = yield* importMembers(transaction, lines, removes, members);
      if (idempotencyKey) storeOutcome(transaction, idempotencyKey, toStoredMemberships(imported.results));
      return { kind: "import-members", ...imported, replayed: false };
    }
    case "set-member": {
      const { id, userId, isMember } = write;
      readGroup(transaction, id, write.precondition);
      setMember(transaction, id, userId, isMember, members);
      return { kind: "set-member" };
    }
    case "purge-old":
      return { kind: "purge-old", purged: purgeOld(transaction, write) };
  }
}

/** Another node may have purged some of the users, and users may have been restored since. */
function purgeOld(
  transaction: WriteTransaction,
  { ids, before, by }: Extract<ParsedWrite, { kind: "purge-old" }>,
): number {
  const users = ids.flatMap((id) => transaction.readDeleted(id) ?? []);
  const old = users.filter(({ deletedAt }) => deletedAt < before);
  for (const user of old) purgeUser(transaction, user, by);
  return old.length;
}

/** Creates a record, or returns the outcome of the request that used the idempotency key first. */
function createOnce<Created extends CreatedUser | CreatedGroup>(
  transaction: WriteTransaction,
  { attempt, idempotencyKey }: { attempt: CreateAttempt; idempotencyKey: IdempotencyKey | undefined },
  isCreated: (outcome: CreatedUser | CreatedGroup) => outcome is Created,
  create: () => Created | Problem,
): { outcome: Created | Problem; replayed: boolean } {
  const stored = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (stored && !("runs" in stored)) {
    if ("problem" in stored) return { outcome: replayRefusal(stored, attempt), replayed: true };
    if (!isCreated(stored)) throw new ProblemError("idempotency-mismatch");
    return { outcome: stored, replayed: true };
  }
  const outcome = orProblem(create);
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, toStoredCreate(outcome, attempt));
  return { outcome, replayed: false };
}

/** A problem is an outcome too: an idempotency key stores it. */
function orProblem<Created>(create: () => Created | Problem): Created | Problem {
  try {
    return create();
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.data };
    throw error;
  }
}

const isUser = (outcome: CreatedUser | CreatedGroup): outcome is CreatedUser => "user" in outcome;
const isGroup = (outcome: CreatedUser | CreatedGroup): outcome is CreatedGroup => "group" in outcome;

/**
 * Runs a part of a bulk request, or returns the stored results if it has already run. `ids` are those of a bulk change: a
 * repeated request may have others.
 */
function* runOnce(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey | undefined,
  run: () => Steps<ImportResults>,
  replay: (stored: StoredImport, storedIds?: readonly number[]) => ImportResults,
  ids?: readonly number[],
): Steps<RawImportOutcome> {
  const stored = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (stored && "problems" in stored) {
    const storedIds = stored.ids && fromRuns(stored.ids);
    return { users: replay(stored, storedIds), replayed: true, ...(storedIds && { storedIds }) };
  }
  const users = yield* run();
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, toStoredImport(users, ids));
  return { users, replayed: false };
}

function* changeEach(
  transaction: WriteTransaction,
  { ids, change, condition, by }: ManyChanges,
  rules: RecordRules,
  members: MemberChanges,
): Steps<ImportResults> {
  const isMet = condition && checkCondition(transaction, condition);
  const changeOne = (id: number, index: number, what: Exclude<BulkChange, MembershipChange>) => {
    const row = transaction.read(id);
    if (isMet && !(row && isMet(id, index, () => row))) return SKIPPED;
    if (!row) throw userNotFound(id);
    if (typeof what === "string") removeUser(transaction, row, by, what === "remove-and-purge", members);
    else editUser(transaction, row, what, by, rules);
    return packExisting(id);
  };
  const setOne = (id: number, index: number, { groupId, isMember }: MembershipChange) => {
    const isChanged = !isMet || (transaction.hasUser(id) && isMet(id, index, () => transaction.read(id)));
    if (!isChanged) return SKIPPED;
    setMember(transaction, groupId, id, isMember, members);
    return packExisting(id);
  };
  const restoreOne = (id: number, index: number) => {
    const deleted = transaction.readDeleted(id);
    if (isMet && !(deleted && isMet(id, index, () => deleted))) return SKIPPED;
    if (!deleted) throw deletedUserNotFound(id);
    restoreUser(transaction, deleted, {}, by, rules, members);
    return packExisting(id);
  };
  const applyTo = (id: number, index: number) => {
    if (change === "restore") return restoreOne(id, index);
    return isMembershipChange(change) ? setOne(id, index, change) : changeOne(id, index, change);
  };
  if (isMembershipChange(change)) readGroup(transaction, change.groupId, undefined);
  const results: PackedResult[] = [];
  for (const [index, id] of ids.entries()) {
    results.push(problemOr(() => applyTo(id, index)));
    yield;
  }
  return results;
}

/** Fails with `idempotency-mismatch` if the key was used with another request body. */
function findStoredOutcome(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey,
): StoredOutcome["outcome"] | undefined {
  const stored = transaction.findOutcome(idempotencyKey);
  if (stored && stored.fingerprint !== idempotencyKey.fingerprint) {
    throw new ProblemError("idempotency-mismatch");
  }
  return stored?.outcome;
}

function storeOutcome(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey,
  outcome: StoredOutcome["outcome"],
): void {
  const expiresAt = transaction.now + idempotency.retentionHours * 3_600_000;
  transaction.saveOutcome(idempotencyKey, { fingerprint: idempotencyKey.fingerprint, outcome, expiresAt });
}
