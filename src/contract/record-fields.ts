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

/** What the program asks about the fields of a record, whatever its kind. */
export interface FieldsOfRecord {
  readonly managed: readonly string[];
  /** In the order of a response. */
  readonly columns: readonly string[];
  /** Those of the columns that callers write. */
  readonly writtenColumns: readonly string[];
  isManaged(name: string): boolean;
  /** Whether the field is stored and listed like a custom field: some that Roster defines are, too. */
  isStoredAsCustom(name: string): boolean;
  /** Undefined for custom fields: their values can have any type. */
  typeOf(name: string): FieldFacts["type"] | undefined;
  /** Whether values of the field are text, whatever they look like. */
  isText(name: string): boolean;
  /** The fields that are stored as custom fields, those that Roster defines first, as in a record. */
  orderStored(fields: Iterable<string>): string[];
}

/** What the program asks about the fields of one kind of record. */
export class RecordFields<Table extends FieldTable> implements FieldsOfRecord {
  readonly #facts: ReadonlyMap<string, FieldFacts>;
  readonly managed: readonly ManagedFieldOf<Table>[];
  readonly columns: readonly ColumnFieldOf<Table>[];
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

  isStoredAsCustom(name: string): boolean {
    const field = this.#facts.get(name);
    return field === undefined || (field.kind === "core" && !field.hasColumn);
  }

  typeOf(name: string): FieldFacts["type"] | undefined {
    return this.#facts.get(name)?.type;
  }

  isText(name: string): boolean {
    return this.typeOf(name) === "text";
  }

  orderStored(fields: Iterable<string>): string[] {
    const stored = new Set([...fields].filter((field) => this.isStoredAsCustom(field)));
    const defined = [...this.#facts.keys()].filter((field) => stored.has(field));
    return [...defined, ...[...stored].filter((field) => this.isCustom(field))];
  }
}
