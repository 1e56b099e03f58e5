import { ELEMENT_MARKER, OVERFLOW_ROW } from "../../../domain/lists/value-index.ts";
import { joinSql, type Sql } from "../../sql/sql.ts";
import type { IndexEntries } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { CustomValues } from "../list-resource.ts";

/** More are forgotten, and found again. */
const MAX_KNOWN = 10_000;

/**
 * The unusual entries that the index of custom fields is known to have. Most fields hold no arrays, and most numbers never occur as
 * text: lists do without the conditions for these until a check finds some.
 */
export class KnownEntries {
  readonly #table: string;
  readonly #known = new Set<string>();

  constructor(dialect: Dialect, { table }: CustomValues) {
    this.#table = dialect.table(table);
  }

  has(entries: IndexEntries): boolean {
    return this.#known.has(toText(entries));
  }

  add(found: readonly IndexEntries[]): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    for (const entries of found) this.#known.add(toText(entries));
  }

  /** Tests whether the index has some of these entries. */
  check({ field, value }: IndexEntries): Sql {
    const from = `EXISTS (SELECT 1 FROM ${this.#table} WHERE field = ?`;
    return value === undefined
      ? { text: `${from})`, values: [field] }
      : { text: `${from} AND value = ?)`, values: [field, value] };
  }

  /** One column for each: 1 if the index has them. */
  checks(absent: readonly IndexEntries[]): Sql[] {
    return absent.map((entries) => joinSql("CASE WHEN", this.check(entries), "THEN 1 ELSE 0 END"));
  }
}

/** What one list takes to be absent from the index. */
export class IndexUse {
  readonly #known: KnownEntries;
  readonly #absent = new Map<string, IndexEntries>();

  constructor(known: KnownEntries) {
    this.#known = known;
  }

  get absent(): readonly IndexEntries[] {
    return [...this.#absent.values()];
  }

  /** False if the list can do without these entries, as long as there are none. */
  has(field: string, value?: string): boolean {
    const entries = { field, value };
    const isKnown = this.#known.has(entries);
    if (!isKnown) this.#absent.set(toText(entries), entries);
    return isKnown;
  }

  /** Whether the path (`fieldPath`) holds arrays. */
  hasElements(path: string): boolean {
    return this.has(path + ELEMENT_MARKER);
  }

  /** Whether some rows have values in arrays and objects that are not indexed. */
  get hasOverflow(): boolean {
    return this.has(OVERFLOW_ROW.field);
  }

  /** The names in the index that have the values at a path. */
  namesOf(path: string): string[] {
    return this.hasElements(path) ? [path, path + ELEMENT_MARKER] : [path];
  }
}

function toText({ field, value }: IndexEntries): string {
  return value === undefined ? field : `${field}\u0000${value}`;
}
