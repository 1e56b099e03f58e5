import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { Json } from "../../contract/json.ts";
import { DryRunMemory } from "../../domain/bulk/dry-run-memory.ts";
import { anonymousOrigin, type Origin } from "../../domain/caller.ts";
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
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { ChangedRecords } from "./batch-entries.ts";
import { applyLines, parseImport, type RawImport, toRawLine } from "./import-lines.ts";
import type { BatchChanges, InMemoryBatch } from "./in-memory-batch.ts";
import { toImportedRecord } from "./stored-outcome.ts";
import { collectLookups, type WriteLookups } from "./write-lookups.ts";

/** The ids of records that the import would create begin here. No real id is as high. */
const FIRST_PROVISIONAL_ID = 2 ** 52;

/** Whether the import would create the record with this id. */
export function isProvisional(id: number): boolean {
  return id >= FIRST_PROVISIONAL_ID;
}

export type Fields = { readonly [field: string]: Json | undefined };

/** The records that the lines of a chunk may change, as earlier lines left them. */
interface KnownRecords<Row> {
  readonly rows: readonly Row[];
  /** Who owns which key: an id of one of the rows, or of another one. */
  readonly owners: ReadonlyMap<string, number>;
  /** An id for each create. */
  readonly ids: readonly number[];
  readonly rules: RecordRules;
}

/** How a dry run deals with records of one kind. A key stands for what only one record can have, such as an email or a name. */
export interface DryRunKind<Indexed extends { readonly row: StoredRecord }> {
  readonly records: RawImport["records"];
  readonly defaults: ImportOptions;
  readRules(): Promise<RecordRules>;
  /** The keys that lines take, or by which they find records. */
  keysOf(lookups: WriteLookups): readonly string[];
  /** The ids that lines name, and the number of lines that may create a record. */
  idsOf(lookups: WriteLookups): readonly number[];
  countCreates(lookups: WriteLookups): number;
  /** The records with these ids, and those that have keys of the lookups. */
  find(ids: readonly number[], lookups: WriteLookups): Promise<readonly StoredRecord[]>;
  withFields(record: StoredRecord, fields: Fields): StoredRecord;
  ownedKeys(record: StoredRecord, rules: RecordRules): readonly string[];
  /** What is known of records that earlier lines would create: those of the keys that they own. */
  provisionalRecords(
    lookups: WriteLookups,
    keys: readonly string[],
    owners: ReadonlyMap<string, number>,
  ): readonly StoredRecord[];
  toRow(record: StoredRecord): Indexed["row"];
  startBatch(known: KnownRecords<Indexed["row"]>): InMemoryBatch;
  changesOf(changes: BatchChanges): ChangedRecords<Indexed>;
  indexedKeys(record: Indexed, rules: RecordRules): readonly string[];
  /** The fields of a changed record that its keys come from. */
  keyFields(record: StoredRecord, rules: RecordRules): Fields;
}

/**
 * Applies the chunks of an import in memory, to records that it reads, and discards the changes. Between chunks, it remembers
 * only which keys earlier lines took and freed.
 */
export class DryRun<Indexed extends { readonly row: StoredRecord }>
  implements ImportDryRun<ImportOptions, ImportedRecord>
{
  readonly #kind: DryRunKind<Indexed>;
  /** The owners of keys that earlier lines changed: an id, or undefined if the key is free. */
  readonly #owners = new Map<string, number | undefined>();
  /** The new fields of existing records, as far as keys come from them. */
  readonly #newFields = new Map<number, Fields>();
  readonly #memory = new DryRunMemory();
  #nextId = FIRST_PROVISIONAL_ID;

  constructor(kind: DryRunKind<Indexed>) {
    this.#kind = kind;
  }

  async import(
    lines: readonly ImportLine[],
    _idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    options: ImportOptions = this.#kind.defaults,
  ): Promise<ImportOutcome<ImportedRecord>> {
    const rules = await this.#kind.readRules();
    const { records } = this.#kind;
    const rawLines = lines.map(toRawLine);
    const raw = { kind: "import", records, lines: rawLines, options, idempotencyKey: undefined, by } as const;
    const write = await runInTurns(parseImport(raw, rules));
    const lookups = await runInTurns(collectLookups([write], rules));
    const batch = await this.#startBatch(lookups, rules);
    const results = await runInTurns(applyLines(batch, write, rules));
    const changes = batch.changes();
    if (changes) await runInTurns(this.#remember(this.#kind.changesOf(changes), rules));
    return { results: results.map((result) => omitProvisionalId(toImportedRecord(result))), replayed: false };
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
    this.#owners.clear();
  }

  async #startBatch(lookups: WriteLookups, rules: RecordRules): Promise<InMemoryBatch> {
    const kind = this.#kind;
    const keys = kind.keysOf(lookups);
    const changedOwners = keys.flatMap((key) => this.#owners.get(key) ?? []);
    const existingIds = [...kind.idsOf(lookups), ...changedOwners].filter((id) => !isProvisional(id));
    const found = await kind.find([...new Set(existingIds)], lookups);
    const rows: Indexed["row"][] = [];
    const owners = new Map<string, number>();
    await runInTurns(this.#addFound(found, rules, rows, owners));
    for (const key of keys) {
      if (!this.#owners.has(key)) continue;
      const owner = this.#owners.get(key);
      if (owner === undefined) owners.delete(key);
      else if (isProvisional(owner)) owners.set(key, owner);
    }
    rows.push(...kind.provisionalRecords(lookups, keys, owners).map(kind.toRow));
    const ids = Array.from({ length: kind.countCreates(lookups) }, () => this.#nextId++);
    return kind.startBatch({ rows, owners, ids, rules });
  }

  *#addFound(
    found: readonly StoredRecord[],
    rules: RecordRules,
    rows: Indexed["row"][],
    owners: Map<string, number>,
  ): Steps<void> {
    for (const stored of found) {
      const fields = this.#newFields.get(stored.id);
      const record = fields ? this.#kind.withFields(stored, fields) : stored;
      rows.push(this.#kind.toRow(record));
      for (const key of this.#kind.ownedKeys(record, rules)) owners.set(key, record.id);
      yield;
    }
  }

  *#remember({ inserted, updated }: ChangedRecords<Indexed>, rules: RecordRules): Steps<void> {
    const known = this.#owners.size;
    for (const record of inserted) {
      for (const key of this.#kind.indexedKeys(record, rules)) this.#owners.set(key, record.row.id);
    }
    for (const { before, after } of updated) {
      for (const key of this.#keysWithout(before, after, rules)) this.#owners.set(key, undefined);
    }
    for (const { before, after } of updated) {
      yield;
      const taken = this.#keysWithout(after, before, rules);
      for (const key of taken) this.#owners.set(key, after.row.id);
      if (taken.length === 0 && this.#keysWithout(before, after, rules).length === 0) continue;
      this.#newFields.set(after.row.id, this.#kind.keyFields(after.row, rules));
    }
    this.#memory.add(this.#owners.size - known);
  }

  /** The keys that `record` has and `other` does not. */
  #keysWithout(record: Indexed, other: Indexed, rules: RecordRules): string[] {
    const others = this.#kind.indexedKeys(other, rules);
    return this.#kind.indexedKeys(record, rules).filter((key) => !others.includes(key));
  }
}

function omitProvisionalId(line: LineResult<ImportedRecord>): LineResult<ImportedRecord> {
  if ("problem" in line || !isProvisional(line.id ?? 0)) return line;
  return { created: line.created, id: undefined };
}
