import { defaultImportOptions, type ImportOptions } from "../../contract/bulk/bulk.ts";
import type { Json } from "../../contract/json.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { DryRunMemory } from "../../domain/bulk/dry-run-memory.ts";
import { anonymousOrigin, type Origin } from "../../domain/caller.ts";
import { foldEmail } from "../../domain/fold.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type {
  ImportDryRun,
  ImportedRecord,
  ImportLine,
  ImportOutcome,
  LineResult,
} from "../../domain/import-row.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { runInTurns, type Steps } from "../../domain/scheduling/steps.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { parseUser, renderUser, userNameKey } from "../../domain/users/user.ts";
import type { UserStore } from "../../domain/users/user-store.ts";
import { SchemaRules } from "../schema/schema-state.ts";
import {
  requestedUserName,
  requestedValues,
  USER_NAME,
  uniqueKey,
  uniqueValues,
  userNameValue,
} from "../schema/unique-values.ts";
import { applyLines, parseImport, toRawLine } from "./import-lines.ts";
import { type BatchChanges, InMemoryBatch } from "./in-memory-batch.ts";
import { toImportedRecord } from "./stored-outcome.ts";
import { collectLookups, type WriteLookups } from "./write-lookups.ts";
import type { IndexedUser, UserRow } from "./write-transaction.ts";

/** The ids of users that the import would create begin here. No real id is as high. */
const FIRST_PROVISIONAL_ID = 2 ** 52;

/**
 * Applies the chunks of an import in memory, to users that it reads, and discards the changes. Between chunks, it remembers
 * only which emails and unique values earlier lines took and freed.
 */
export class DryRun implements ImportDryRun<ImportOptions, ImportedRecord> {
  readonly #users: Pick<UserStore, "find">;
  readonly #schemas: Pick<SchemaStore, "current">;
  readonly #schema: SchemaRules;
  /** The owners of emails and unique values that earlier lines changed: an id, or undefined if the value is free. */
  readonly #owners = new Map<string, number | undefined>();
  /** The new emails and unique values of existing users. */
  readonly #newFields = new Map<number, Fields>();
  readonly #memory = new DryRunMemory();
  #nextId = FIRST_PROVISIONAL_ID;

  constructor(users: Pick<UserStore, "find">, schemas: Pick<SchemaStore, "current">, rules: RecordRules) {
    this.#users = users;
    this.#schemas = schemas;
    this.#schema = new SchemaRules(rules);
  }

  async import(
    lines: readonly ImportLine[],
    _idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    options: ImportOptions = defaultImportOptions,
  ): Promise<ImportOutcome<ImportedRecord>> {
    const { version, json } = await this.#schemas.current();
    this.#schema.update({ version, collecting: "" }, json);
    const { rules } = this.#schema;
    const raw = {
      kind: "import",
      lines: lines.map(toRawLine),
      options,
      idempotencyKey: undefined,
      by,
    } as const;
    const write = await runInTurns(parseImport(raw, rules));
    const lookups = await runInTurns(collectLookups([write], rules));
    const batch = await this.#startBatch(lookups, rules);
    const results = await runInTurns(applyLines(batch, write, rules));
    const changes = batch.changes();
    if (changes) await runInTurns(this.#remember(changes, rules));
    return { results: results.map((result) => omitProvisionalId(toImportedRecord(result))), replayed: false };
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
    this.#owners.clear();
  }

  /** The users that the lines may change, as earlier lines left them. */
  async #startBatch(
    { ids, names, values, creates }: WriteLookups,
    rules: RecordRules,
  ): Promise<InMemoryBatch> {
    const keys = [...names, ...names.map(nameKey), ...values.map(uniqueKey)];
    const changedOwners = keys.flatMap((key) => this.#owners.get(key) ?? []);
    const existingIds = [...ids, ...changedOwners].filter((id) => id < FIRST_PROVISIONAL_ID);
    const found = await this.#users.find([...new Set(existingIds)], names, values);
    const rows: UserRow[] = [];
    const owners = new Map<string, number>();
    await runInTurns(this.#addFound(found, rules, rows, owners));
    for (const key of keys) {
      if (!this.#owners.has(key)) continue;
      const owner = this.#owners.get(key);
      if (owner === undefined) owners.delete(key);
      else if (owner >= FIRST_PROVISIONAL_ID) owners.set(key, owner);
    }
    for (const [id, record] of provisionalRecords(names, keys, owners)) {
      rows.push(toRow(renderUser(id, record, 1, "", "")));
    }
    const newIds = creates.map(() => this.#nextId++);
    // The keys of emails differ from those of user names and unique values.
    const lookup = { rows, emails: owners, values: owners, rules, outcomes: new Map(), ids: newIds };
    return new InMemoryBatch(lookup, Date.now());
  }

  *#addFound(
    found: readonly StoredRecord[],
    rules: RecordRules,
    rows: UserRow[],
    owners: Map<string, number>,
  ): Steps<void> {
    for (const user of found) {
      const row = this.#withNewFields(user);
      rows.push(row);
      for (const key of ownedKeys(parseUser(row.json).record, rules)) owners.set(key, row.id);
      yield;
    }
  }

  #withNewFields(user: StoredRecord): UserRow {
    const fields = this.#newFields.get(user.id);
    if (!fields) return toRow(user);
    const { record, createdAt } = parseUser(user.json);
    for (const [field, value] of Object.entries(fields)) {
      if (value === undefined) delete record[field];
      else record[field] = value;
    }
    return toRow(renderUser(user.id, record, user.version, createdAt, createdAt));
  }

  *#remember({ inserted, updated }: BatchChanges, rules: RecordRules): Steps<void> {
    const before = this.#owners.size;
    for (const user of inserted) {
      for (const key of termKeys(user, rules)) this.#owners.set(key, user.row.id);
    }
    for (const { before, after } of updated) {
      for (const key of keysWithout(before, after, rules)) this.#owners.set(key, undefined);
    }
    for (const { before, after } of updated) {
      yield;
      const taken = keysWithout(after, before, rules);
      for (const key of taken) this.#owners.set(key, after.row.id);
      if (taken.length === 0 && keysWithout(before, after, rules).length === 0) continue;
      const record: Fields = parseUser(after.row.json).record;
      const fields = ["email", USER_NAME, ...(rules.uniqueFields ?? [])];
      this.#newFields.set(after.row.id, Object.fromEntries(fields.map((field) => [field, record[field]])));
    }
    this.#memory.add(this.#owners.size - before);
  }
}

type Fields = { readonly [field: string]: Json | undefined };

function nameKey(name: string): string {
  return uniqueKey({ field: USER_NAME, value: name });
}

/** What is known of users that earlier lines would create, by id: the email and the user name, if they are among the names. */
function provisionalRecords(
  names: readonly string[],
  keys: readonly string[],
  owners: ReadonlyMap<string, number>,
): Map<number, UserRecord> {
  const records = new Map<number, UserRecord>();
  for (const key of keys) {
    const id = owners.get(key) ?? 0;
    if (id >= FIRST_PROVISIONAL_ID) records.set(id, { name: "-" });
  }
  for (const name of names) {
    const owner = owners.get(nameKey(name));
    const emailOwner = owners.get(name);
    const withEmail = emailOwner === undefined ? undefined : records.get(emailOwner);
    if (withEmail) withEmail.email = name;
    const withName = owner === undefined || owner === emailOwner ? undefined : records.get(owner);
    if (withName) withName.userName = name;
  }
  return records;
}

/** The folded email, and the keys of the user name and of the unique values that a record has. */
function ownedKeys(record: UserRecord, rules: RecordRules): string[] {
  const { email } = record;
  const name = requestedUserName(record);
  return [
    ...(email === undefined ? [] : [foldEmail(email)]),
    ...[...requestedValues(record, rules), ...(name ? [name] : [])].map(uniqueKey),
  ];
}

function termKeys({ row, terms }: IndexedUser, rules: RecordRules): string[] {
  const { emailKey } = terms;
  const name = userNameValue(row.userNameKey, terms);
  return [
    ...(emailKey === undefined ? [] : [emailKey]),
    ...[...uniqueValues(terms, rules), ...(name ? [name] : [])].map(uniqueKey),
  ];
}

/** The keys that `user` has and `other` does not. */
function keysWithout(user: IndexedUser, other: IndexedUser, rules: RecordRules): string[] {
  const others = termKeys(other, rules);
  return termKeys(user, rules).filter((key) => !others.includes(key));
}

function toRow(user: StoredRecord): UserRow {
  const { record } = parseUser(user.json);
  return { ...user, updatedAt: 0, changedBy: null, userNameKey: userNameKey(record) };
}

function omitProvisionalId(user: LineResult<ImportedRecord>): LineResult<ImportedRecord> {
  if ("problem" in user || (user.id ?? 0) < FIRST_PROVISIONAL_ID) return user;
  return { created: user.created, id: undefined };
}
