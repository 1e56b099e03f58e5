import type { ReservedSQL } from "bun";
import { foldEmail } from "../../domain/fold.ts";
import type { IdempotencyKey } from "../../domain/store.ts";
import { type IndexedUser, type ParsedWrite, type UserRow, valuesNotIn } from "../apply-write.ts";
import { searchText } from "../lists/search-text.ts";
import type { StoredOutcome } from "../stored-outcome.ts";
import { isServerError } from "./error-codes.ts";
import { type BatchChanges, type BatchLookup, outcomeMapKey } from "./in-memory-batch.ts";
import { toUserValues, type UserValue } from "./user-columns.ts";
import * as statements from "./write-statements.ts";

type Rows = readonly (readonly string[])[];

/** The transaction of a batch, on a reserved connection. Statements sent without waiting share a round trip. */
export class Batch {
  /** Whether PostgreSQL may have committed although `commit` failed. */
  inDoubt = false;

  constructor(readonly sql: ReservedSQL) {}

  /** Begins, locks the users to change and reads what the writes depend on, in one round trip. */
  async begin(writes: readonly ParsedWrite[], now: number): Promise<BatchLookup> {
    const { creates, idempotencyKeys, emails, ids } = collectLookups(writes);
    const query = (needed: boolean, text: string, values: () => string[]): Promise<Rows> =>
      needed ? this.sql.unsafe(text, values()).values() : Promise.resolve([]);
    const { LOCK_USERS, FIND_EMAILS, findOutcomes, takeIds } = statements;
    const time = { now: String(now) };
    const [, rows, owners, outcomes, newIds] = await Promise.all([
      this.sql`BEGIN`,
      query(ids.length > 0, LOCK_USERS, () => [`{${ids.join()}}`]),
      query(emails.length > 0, FIND_EMAILS, () => [JSON.stringify(emails)]),
      query(idempotencyKeys.length > 0, findOutcomes.text, () =>
        findOutcomes.parameters(time, { keys: idempotencyKeys }),
      ),
      query(creates.length > 0, takeIds.text, () => takeIds.parameters(time, { creates })),
    ]);
    return {
      rows: rows.map(toUserRow),
      emails: new Map(owners.map(([key = "", id]) => [key, Number(id)])),
      outcomes: new Map(outcomes.map(toOutcome)),
      ids: newIds.map(([id]) => Number(id)),
    };
  }

  /** Takes ids without checking emails. */
  async takeIds(count: number): Promise<number[]> {
    const creates = Array.from({ length: count }, () => ({ emailKey: null, idempotencyKey: undefined }));
    const { text } = statements.takeIds;
    const rows: Rows = await this.sql
      .unsafe(text, statements.takeIds.parameters({ now: "0" }, { creates }))
      .values();
    return rows.map(([id]) => Number(id));
  }

  /** Writes the changes and commits, in one round trip. Before this call, the batch has changed nothing. */
  async commit(
    { removed, updated, inserted, outcomes }: BatchChanges,
    now: number,
    part: number,
  ): Promise<void> {
    const { removeUsers, removeValues, updateUsers, updateSearch, insertAll } = statements;
    const sent: PromiseLike<{ command?: string }>[] = [];
    const send = (text: string, values: string[]) => sent.push(this.sql.unsafe(text, values));
    const oldValues: UserValue[] = [];
    const newValues: UserValue[] = [];
    for (const { row, terms } of removed) oldValues.push(...toUserValues(row.id, terms.values));
    for (const { row, terms } of inserted) newValues.push(...toUserValues(row.id, terms.values));
    for (const { before, after } of updated) {
      oldValues.push(...toUserValues(after.row.id, valuesNotIn(before.terms, after.terms)));
      newValues.push(...toUserValues(after.row.id, valuesNotIn(after.terms, before.terms)));
    }
    const reindexed = updated.filter(
      ({ before, after }) => searchText(before.terms) !== searchText(after.terms),
    );
    const userCountChange = inserted.length - removed.length;

    if (removed.length > 0) {
      const ids = `{${removed.map(({ row }) => row.id).join()}}`;
      const removals = removed.map(({ row, by }) => ({ userId: row.id, removedAt: now, removedBy: by }));
      send(removeUsers.text, removeUsers.parameters({ ids }, { removals }));
    }
    if (oldValues.length > 0) send(removeValues.text, removeValues.parameters({}, { values: oldValues }));
    if (updated.length > 0) {
      const users = updated.map(({ after }) => after);
      send(updateUsers.text, updateUsers.parameters({}, { users }));
    }
    if (reindexed.length > 0) {
      const search = reindexed.map(({ after }) => after);
      send(updateSearch.text, updateSearch.parameters({}, { search }));
    }
    if (inserted.length > 0 || newValues.length > 0 || outcomes.length > 0 || userCountChange !== 0) {
      const scalars = { now: String(now), userCountChange: String(userCountChange), part: String(part) };
      // In the order of emails: nodes that insert the same emails then wait for each other in one direction only.
      const users = [...inserted].sort(byEmail);
      send(insertAll.text, insertAll.parameters(scalars, { users, values: newValues, outcomes }));
    }
    await this.#awaitCommit(Promise.all(sent), this.sql`COMMIT`);
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
    await this.sql`ROLLBACK`;
  }
}

/** What a batch must read before its writes can be applied. */
function collectLookups(writes: readonly ParsedWrite[]) {
  const creates: statements.PlannedCreate[] = [];
  const idempotencyKeys: IdempotencyKey[] = [];
  const emails = new Set<string>();
  const ids = new Set<number>();
  for (const write of writes) {
    if (write.kind === "create" || write.kind === "parsed-import") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      for (const attempt of write.kind === "create" ? [write.attempt] : write.attempts) {
        if ("problem" in attempt) continue;
        const { email } = attempt.record;
        const emailKey = email === undefined ? null : foldEmail(email);
        if (emailKey !== null) emails.add(emailKey);
        creates.push({ emailKey, idempotencyKey: write.idempotencyKey });
      }
    } else {
      ids.add(write.id);
      if (write.kind === "remove") continue;
      const { email } = "replace" in write.edit ? write.edit.replace : write.edit.merge;
      if (typeof email === "string") emails.add(foldEmail(email.trim()));
    }
  }
  return { creates, idempotencyKeys, emails: [...emails], ids: [...ids] };
}

function byEmail(a: IndexedUser, b: IndexedUser): number {
  const [x = "", y = ""] = [a.terms.emailKey, b.terms.emailKey];
  return x < y ? -1 : x > y ? 1 : 0;
}

function toUserRow([id, version, json, updatedAt, by]: readonly (string | null)[]): UserRow {
  const changedBy = by === null ? null : Number(by);
  return {
    id: Number(id),
    version: Number(version),
    json: json ?? "",
    updatedAt: Number(updatedAt),
    changedBy,
  };
}

function toOutcome([caller = "", key = "", fingerprint = "", outcome = "", expiresAt]: readonly string[]): [
  string,
  StoredOutcome,
] {
  return [
    outcomeMapKey({ caller, key }),
    { fingerprint, outcome: JSON.parse(outcome), expiresAt: Number(expiresAt) },
  ];
}
