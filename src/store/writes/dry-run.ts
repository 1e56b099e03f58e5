import { bulkLimits, defaultImportOptions, type ImportOptions } from "../../contract/bulk.ts";
import { runInTurns } from "../../domain/bulk/steps.ts";
import { anonymousOrigin, type Origin } from "../../domain/caller.ts";
import { foldEmail } from "../../domain/fold.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { RecordRules } from "../../domain/record-rules.ts";
import type {
  IdempotencyKey,
  ImportDryRun,
  ImportedUser,
  ImportLine,
  ImportOutcome,
  Store,
} from "../../domain/store.ts";
import { parseUser, renderUser, type StoredUser } from "../../domain/user.ts";
import { applyLines, parseImport, toImportedUser, toRawLine } from "./import-lines.ts";
import { type BatchChanges, InMemoryBatch } from "./in-memory-batch.ts";
import { collectLookups } from "./write-lookups.ts";
import type { UserRow } from "./write-transaction.ts";

/** The ids of users that the import would create begin here. No real id is as high. */
const FIRST_PROVISIONAL_ID = 2 ** 52;

/** Emails that all dry runs of this process remember. */
let rememberedEmails = 0;

/**
 * Applies the chunks of an import in memory, to users that it reads, and discards the changes. Between chunks, it remembers
 * only which emails earlier lines took and freed.
 */
export class DryRun implements ImportDryRun {
  readonly #store: Pick<Store, "findUsers">;
  readonly #rules: RecordRules;
  /** The owners of emails that earlier lines changed: an id, or undefined if the email is free. */
  readonly #owners = new Map<string, number | undefined>();
  /** The new emails of existing users. */
  readonly #newEmails = new Map<number, string | undefined>();
  #nextId = FIRST_PROVISIONAL_ID;

  constructor(store: Pick<Store, "findUsers">, rules: RecordRules) {
    this.#store = store;
    this.#rules = rules;
  }

  async import(
    lines: readonly ImportLine[],
    _idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    options: ImportOptions = defaultImportOptions,
  ): Promise<ImportOutcome> {
    const raw = {
      kind: "import",
      lines: lines.map(toRawLine),
      options,
      idempotencyKey: undefined,
      by,
    } as const;
    const write = await runInTurns(parseImport(raw, this.#rules));
    const lookups = await runInTurns(collectLookups([write]));
    const batch = await this.#startBatch(lookups.ids, lookups.emails, lookups.creates.length);
    const results = await runInTurns(applyLines(batch, write, this.#rules));
    const changes = batch.changes();
    if (changes) this.#remember(changes);
    return { users: results.map((result) => omitProvisionalId(toImportedUser(result))), replayed: false };
  }

  [Symbol.dispose](): void {
    rememberedEmails -= this.#owners.size;
    this.#owners.clear();
  }

  /** The users that the lines may change, as earlier lines left them. */
  async #startBatch(
    ids: readonly number[],
    emails: readonly string[],
    creates: number,
  ): Promise<InMemoryBatch> {
    const changedOwners = emails.flatMap((email) => this.#owners.get(email) ?? []);
    const existingIds = [...ids, ...changedOwners].filter((id) => id < FIRST_PROVISIONAL_ID);
    const found = await this.#store.findUsers([...new Set(existingIds)], emails);
    const rows = found.map((user) => this.#withNewEmail(user));
    const owners = new Map(rows.flatMap((row) => toEmailEntry(row)));
    for (const email of emails) {
      if (!this.#owners.has(email)) continue;
      const owner = this.#owners.get(email);
      if (owner === undefined) owners.delete(email);
      else if (owner >= FIRST_PROVISIONAL_ID) {
        owners.set(email, owner);
        rows.push(toRow(renderUser(owner, { name: "-", email }, 1, "", "")));
      }
    }
    const newIds = Array.from({ length: creates }, () => this.#nextId++);
    return new InMemoryBatch({ rows, emails: owners, outcomes: new Map(), ids: newIds }, Date.now());
  }

  #withNewEmail(user: StoredUser): UserRow {
    if (!this.#newEmails.has(user.id)) return toRow(user);
    const { record, createdAt } = parseUser(user.json);
    const { email: _, ...rest } = record;
    const email = this.#newEmails.get(user.id);
    const changed = email === undefined ? rest : { ...rest, email };
    return toRow(renderUser(user.id, { ...changed, name: record.name }, user.version, createdAt, createdAt));
  }

  #remember({ inserted, updated }: BatchChanges): void {
    const before = this.#owners.size;
    for (const { row, terms } of inserted) {
      if (terms.emailKey !== undefined) this.#owners.set(terms.emailKey, row.id);
    }
    for (const { before, after } of updated) {
      if (before.terms.emailKey === after.terms.emailKey) continue;
      if (before.terms.emailKey !== undefined) this.#owners.set(before.terms.emailKey, undefined);
    }
    for (const { before, after } of updated) {
      if (before.terms.emailKey === after.terms.emailKey) continue;
      if (after.terms.emailKey !== undefined) this.#owners.set(after.terms.emailKey, after.row.id);
      this.#newEmails.set(after.row.id, parseUser(after.row.json).record.email);
    }
    rememberedEmails += this.#owners.size - before;
    if (rememberedEmails > bulkLimits.dryRunEmails) throw tooManyEmails();
  }
}

function toRow(user: StoredUser): UserRow {
  return { ...user, updatedAt: 0, changedBy: null };
}

function toEmailEntry({ id, json }: UserRow): [string, number][] {
  const { email } = parseUser(json).record;
  return email === undefined ? [] : [[foldEmail(email), id]];
}

function omitProvisionalId(user: ImportedUser): ImportedUser {
  if ("problem" in user || (user.id ?? 0) < FIRST_PROVISIONAL_ID) return user;
  return { created: user.created, id: undefined };
}

function tooManyEmails(): ProblemError {
  return new ProblemError(
    "too-large",
    `Dry runs remember at most ${bulkLimits.dryRunEmails} emails at a time. Check the file in parts, or try again later.`,
  );
}
