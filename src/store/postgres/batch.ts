import type { ReservedSQL } from "bun";
import { foldCase } from "../../domain/fold.ts";
import type { IdempotencyKey } from "../../domain/store.ts";
import {
  type IndexedUser,
  type ParsedWrite,
  type StoredOutcome,
  type UserRow,
  valuesNotIn,
} from "../apply-write.ts";
import { searchText } from "../lists/search-text.ts";
import { isServerError } from "./error-codes.ts";
import { type BatchChanges, type BatchLookup, outcomeMapKey } from "./in-memory-batch.ts";
import { json, searchKeysArray, toJsonColumns, userColumns, userValueRows } from "./json-columns.ts";
import * as statements from "./write-statements.ts";

type Rows = readonly (readonly string[])[];

/** A reserved connection, in a transaction. What is asked of it without waiting goes out together. */
export class Batch {
  /** Whether it may have been committed although `commit` failed. */
  inDoubt = false;

  constructor(readonly sql: ReservedSQL) {}

  /** Begins, locks what is to be changed and looks up what the writes depend on, in one round trip. */
  async begin(writes: readonly ParsedWrite[], now: number): Promise<BatchLookup> {
    const { creates, idempotencyKeys, emails, ids } = collectLookups(writes);
    const ask = (needed: boolean, text: string, values: readonly string[]): Promise<Rows> =>
      needed ? this.sql.unsafe(text, [...values]).values() : Promise.resolve([]);
    const [, rows, owners, outcomes, taken] = await Promise.all([
      this.sql`BEGIN`,
      ask(ids.length > 0, statements.LOCK_USERS, [`{${ids.join()}}`]),
      ask(emails.length > 0, statements.FIND_EMAILS, [json(emails)]),
      ask(idempotencyKeys.length > 0, statements.FIND_OUTCOMES, [
        json(idempotencyKeys.map(({ caller }) => caller)),
        json(idempotencyKeys.map(({ key }) => key)),
        String(now),
      ]),
      ask(creates.length > 0, statements.TAKE_IDS, [
        json(creates.map(({ email }) => email)),
        json(creates.map(({ idempotencyKey }) => idempotencyKey?.caller ?? null)),
        json(creates.map(({ idempotencyKey }) => idempotencyKey?.key ?? null)),
        String(now),
      ]),
    ]);
    return {
      rows: rows.map(toRow),
      emails: new Map(owners.map(([key = "", id]) => [key, Number(id)])),
      outcomes: new Map(outcomes.map(toOutcome)),
      ids: taken.map(([id]) => Number(id)),
    };
  }

  /** More ids than could be foreseen. */
  async takeIds(count: number): Promise<number[]> {
    const none = json(Array.from({ length: count }, () => null));
    const rows: Rows = await this.sql.unsafe(statements.TAKE_IDS, [none, none, none, "0"]).values();
    return rows.map(([id]) => Number(id));
  }

  /** Writes the changes and commits, in one round trip. Until this is called, nothing can have been done. */
  async commit({ removed, updated, inserted, kept }: BatchChanges, now: number, part: number): Promise<void> {
    const sent: PromiseLike<{ command?: string }>[] = [];
    const send = (text: string, values: readonly string[]) => sent.push(this.sql.unsafe(text, [...values]));
    const lost = [
      ...removed.flatMap(({ row, terms }) => userValueRows(row.id, terms.values)),
      ...updated.flatMap(({ before, after }) =>
        userValueRows(after.row.id, valuesNotIn(before.terms, after.terms)),
      ),
    ];
    const gained = [
      ...inserted.flatMap(({ row, terms }) => userValueRows(row.id, terms.values)),
      ...updated.flatMap(({ before, after }) =>
        userValueRows(after.row.id, valuesNotIn(after.terms, before.terms)),
      ),
    ];
    const renamed = updated.filter(
      ({ before, after }) => searchText(before.terms) !== searchText(after.terms),
    );
    const difference = inserted.length - removed.length;

    if (removed.length > 0) {
      const removers = removed.map(({ by }) => by ?? "NULL");
      send(statements.REMOVE_USERS, [
        `{${removed.map(({ row }) => row.id).join()}}`,
        `{${removers.join()}}`,
        String(now),
      ]);
    }
    if (lost.length > 0) send(statements.REMOVE_VALUES, toJsonColumns(lost, 3));
    if (updated.length > 0) {
      send(
        statements.UPDATE_USERS,
        toJsonColumns(
          updated.map(({ after }) => userColumns(after)),
          10,
        ),
      );
    }
    if (renamed.length > 0) {
      send(
        statements.UPDATE_SEARCH,
        toJsonColumns(
          renamed.map(({ after }) => [after.row.id, searchKeysArray(after)]),
          2,
        ),
      );
    }
    if (inserted.length > 0 || gained.length > 0 || kept.length > 0 || difference !== 0) {
      send(statements.INSERT_ALL, [
        // In the order of their emails, so that nodes which want the same ones wait for each other one way only.
        ...toJsonColumns(
          [...inserted].sort(byEmail).map((user) => [...userColumns(user), searchKeysArray(user)]),
          11,
        ),
        String(now),
        ...toJsonColumns(gained, 3),
        ...toJsonColumns(
          kept.map(({ caller, key, fingerprint, outcome, expiresAt }) => [
            caller,
            key,
            fingerprint,
            JSON.stringify(outcome),
            expiresAt,
          ]),
          5,
        ),
        String(difference),
        String(part),
      ]);
    }
    await this.#end(Promise.all(sent), this.sql`COMMIT`);
  }

  async #end(writing: Promise<unknown>, committing: PromiseLike<{ command?: string }>): Promise<void> {
    let written = false;
    const noted = writing.then(() => {
      written = true;
    });
    try {
      const [, { command }] = await Promise.all([noted, committing]);
      // A COMMIT after a failure says that it has rolled back, and is no error.
      if (command !== "COMMIT") throw new Error("PostgreSQL did not commit.");
    } catch (error) {
      // Answers come in the order of what was sent: a server that refuses a write has not come to the COMMIT.
      this.inDoubt = written || !isServerError(error);
      throw error;
    }
  }

  async rollback(): Promise<void> {
    await this.sql`ROLLBACK`;
  }
}

/** What a batch has to know before it can be applied. */
function collectLookups(writes: readonly ParsedWrite[]) {
  const creates: { email: string | null; idempotencyKey: IdempotencyKey | undefined }[] = [];
  const idempotencyKeys: IdempotencyKey[] = [];
  const emails = new Set<string>();
  const ids = new Set<number>();
  for (const write of writes) {
    if (write.kind === "create" || write.kind === "parsed-import") {
      if (write.idempotencyKey) idempotencyKeys.push(write.idempotencyKey);
      for (const attempt of write.kind === "create" ? [write.attempt] : write.attempts) {
        if ("problem" in attempt) continue;
        const { email } = attempt.record;
        const key = email === undefined ? null : foldCase(email);
        if (key !== null) emails.add(key);
        creates.push({ email: key, idempotencyKey: write.idempotencyKey });
      }
    } else {
      ids.add(write.id);
      if (write.kind === "remove") continue;
      const { email } = "replace" in write.edit ? write.edit.replace : write.edit.merge;
      if (typeof email === "string") emails.add(foldCase(email.trim()));
    }
  }
  return { creates, idempotencyKeys, emails: [...emails], ids: [...ids] };
}

function byEmail(a: IndexedUser, b: IndexedUser): number {
  const [x = "", y = ""] = [a.terms.emailKey, b.terms.emailKey];
  return x < y ? -1 : x > y ? 1 : 0;
}

function toRow([id, version, json, updatedAt, by]: readonly (string | null)[]): UserRow {
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
