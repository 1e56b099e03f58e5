/** What Roster itself knows about a field of a record, such as a user or a group. */
export interface FieldFacts {
  /** Callers write core fields. Only the service writes managed fields: it ignores them in request bodies. */
  readonly kind: "core" | "managed";
  readonly type: "number" | "text" | "boolean" | "time" | "object";
  /** Whether it has a column and an index: lists sort by it. The others are stored and listed like custom fields. */
  readonly hasColumn: boolean;
}

type FieldTable = Readonly<Record<string, FieldFacts>>;

/** The names of the fields with these facts. */
type FieldsWith<Table extends FieldTable, Facts extends Partial<FieldFacts>> = {
  [Field in keyof Table]: Table[Field] extends Facts ? Field : never;
}[keyof Table] &
  string;

export type ManagedFieldOf<Table extends FieldTable> = FieldsWith<Table, { kind: "managed" }>;
/** A field that lists can sort by, besides custom fields. */
export type ColumnFieldOf<Table extends FieldTable> = FieldsWith<Table, { hasColumn: true }>;

/** What the program asks about the fields of one kind of record. */
export class RecordFields<Table extends FieldTable> {
  readonly #facts: ReadonlyMap<string, FieldFacts>;
  readonly managed: readonly ManagedFieldOf<Table>[];
  /** In the order of a response. */
  readonly columns: readonly ColumnFieldOf<Table>[];

  /** Those of the columns that callers write. */
  readonly writtenColumns: readonly string[];

  constructor(table: Table) {
    this.#facts = new Map(Object.entries(table));
    const names = Object.keys(table);
    this.managed = names.filter((name) => this.isManaged(name));
    this.columns = names.filter((name) => this.isColumn(name));
    this.writtenColumns = this.columns.filter((name) => !this.isManaged(name));
  }

  isManaged(name: string): name is ManagedFieldOf<Table> {
    return this.#facts.get(name)?.kind === "managed";
  }

  isColumn(name: string): name is ColumnFieldOf<Table> {
    return this.#facts.get(name)?.hasColumn === true;
  }

  isCustom(name: string): boolean {
    return !this.#facts.has(name);
  }

  /** Whether the field is stored and listed like a custom field: some that Roster defines are, too. */
  isStoredAsCustom(name: string): boolean {
    const field = this.#facts.get(name);
    return field === undefined || (field.kind === "core" && !field.hasColumn);
  }

  /** Undefined for custom fields: their values can have any type. */
  typeOf(name: string): FieldFacts["type"] | undefined {
    return this.#facts.get(name)?.type;
  }
}
