import { idempotency } from "../../contract/user.ts";
import type { Origin } from "../../domain/caller.ts";
import type { Precondition } from "../../domain/precondition.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import type { RecordRules } from "../../domain/record-rules.ts";
import type { Attempt, BulkChange, CreateOutcome, IdempotencyKey } from "../../domain/store.ts";
import type { Edit, StoredUser } from "../../domain/user.ts";
import { createUser, editUser, readCurrent, removeUser } from "./change-user.ts";
import { applyLines, type ParsedImport, type RawImport } from "./import-lines.ts";
import {
  type ImportResults,
  type LineAttempt,
  replayCreate,
  replayImport,
  type StoredOutcome,
  toStoredCreate,
  toStoredImport,
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
  | { readonly kind: "remove"; readonly id: number; readonly precondition: Precondition | undefined }
);

/** The same change to many users. */
interface ManyChanges {
  readonly kind: "change-many";
  readonly ids: readonly number[];
  readonly change: BulkChange;
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly by: Origin;
}

/** Result of a write, with the `kind` of the write, or why the write failed. */
export type WriteOutcome =
  | ({ readonly kind: "create" } & CreateOutcome)
  | ({ readonly kind: "import" | "change-many" } & RawImportOutcome)
  | { readonly kind: "edit"; readonly user: StoredUser }
  | { readonly kind: "remove" }
  | { readonly kind: "problem"; readonly problem: ProblemData }
  | { readonly kind: "failure"; readonly failure: string };

interface RawImportOutcome {
  readonly users: ImportResults;
  readonly replayed: boolean;
}

/** How much a write counts towards the size of a batch. */
export function writeWeight(write: Write): number {
  if (write.kind === "import") return write.lines.length;
  return write.kind === "change-many" ? write.ids.length : 1;
}

/** Applies one write, or returns its problem and changes nothing. The same on every engine. */
export function applyWrite(
  transaction: WriteTransaction,
  write: ParsedWrite,
  rules: RecordRules,
): WriteOutcome {
  try {
    switch (write.kind) {
      case "create":
        return create(transaction, write);
      case "parsed-import": {
        const { attempts, idempotencyKey } = write;
        const run = () => applyLines(transaction, write, rules);
        return { kind: "import", ...runOnce(transaction, idempotencyKey, attempts, run) };
      }
      case "change-many": {
        const { ids, change, idempotencyKey } = write;
        const merge = change === "remove" ? {} : change.merge;
        const attempts = ids.map((id) => ({ id, merge }));
        const run = () => changeEach(transaction, write, rules);
        return { kind: "change-many", ...runOnce(transaction, idempotencyKey, attempts, run) };
      }
      case "edit": {
        const row = readCurrent(transaction, write.id, write.precondition);
        return { kind: "edit", user: editUser(transaction, row, write.edit, write.by, rules) };
      }
      case "remove":
        removeUser(transaction, readCurrent(transaction, write.id, write.precondition), write.by);
        return { kind: "remove" };
    }
  } catch (error) {
    if (error instanceof ProblemError) return { kind: "problem", problem: error.data };
    throw error;
  }
}

function create(
  transaction: WriteTransaction,
  { attempt, idempotencyKey, by }: Extract<ParsedWrite, { kind: "create" }>,
): WriteOutcome {
  const stored = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (stored && !("runs" in stored)) {
    return { kind: "create", outcome: replayCreate(stored, attempt), replayed: true };
  }
  const outcome = createUser(transaction, attempt, by);
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, toStoredCreate(outcome));
  return { kind: "create", outcome, replayed: false };
}

/** Runs a part of a bulk request, or returns the stored results if it has already run. */
function runOnce(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey | undefined,
  attempts: readonly LineAttempt[],
  run: () => ImportResults,
): RawImportOutcome {
  const stored = idempotencyKey && findStoredOutcome(transaction, idempotencyKey);
  if (stored && "runs" in stored) return { users: replayImport(stored, attempts), replayed: true };
  const users = run();
  if (idempotencyKey) storeOutcome(transaction, idempotencyKey, toStoredImport(users));
  return { users, replayed: false };
}

function changeEach(
  transaction: WriteTransaction,
  { ids, change, by }: ManyChanges,
  rules: RecordRules,
): ImportResults {
  return ids.map((id) => {
    try {
      const row = readCurrent(transaction, id);
      if (change === "remove") removeUser(transaction, row, by);
      else editUser(transaction, row, change, by, rules);
      return -id;
    } catch (error) {
      if (error instanceof ProblemError) return error.data;
      throw error;
    }
  });
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
