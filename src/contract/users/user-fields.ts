/** What Roster itself knows about a field of a user. */
interface FieldFacts {
  /** Callers write core fields. Only the service writes managed fields: it ignores them in request bodies. */
  readonly kind: "core" | "managed";
  readonly type: "number" | "text" | "boolean" | "time" | "object";
  /** Whether it has a column and an index: lists sort by it. The others are stored and listed like custom fields. */
  readonly hasColumn: boolean;
}

/** The fields of users, in the order of a response. Every other field is a custom field: callers write and name it. */
export const userFields = {
  id: { kind: "managed", type: "number", hasColumn: true },
  name: { kind: "core", type: "text", hasColumn: true },
  email: { kind: "core", type: "text", hasColumn: true },
  userName: { kind: "core", type: "text", hasColumn: false },
  active: { kind: "core", type: "boolean", hasColumn: false },
  /** What SCIM sends and has no other place. */
  scim: { kind: "core", type: "object", hasColumn: false },
  version: { kind: "managed", type: "number", hasColumn: true },
  createdAt: { kind: "managed", type: "time", hasColumn: true },
  updatedAt: { kind: "managed", type: "time", hasColumn: true },
  /** Of deleted users only. */
  deletedAt: { kind: "managed", type: "time", hasColumn: false },
} as const satisfies Readonly<Record<string, FieldFacts>>;

type UserFields = typeof userFields;
type FieldsWith<Facts extends Partial<FieldFacts>> = {
  [Field in keyof UserFields]: UserFields[Field] extends Facts ? Field : never;
}[keyof UserFields];

export type ManagedField = FieldsWith<{ kind: "managed" }>;
/** A field that lists can sort by, besides custom fields. */
export type ColumnField = FieldsWith<{ hasColumn: true }>;

const facts = new Map<string, FieldFacts>(Object.entries(userFields));

export function isManagedField(name: string): name is ManagedField {
  return facts.get(name)?.kind === "managed";
}

function isColumnField(name: string): name is ColumnField {
  return facts.get(name)?.hasColumn === true;
}

export function isCustomField(name: string): boolean {
  return !facts.has(name);
}

/** Whether the field is stored and listed like a custom field: `userName`, `active` and `scim` are, too. */
export function isStoredAsCustom(name: string): boolean {
  const field = facts.get(name);
  return field === undefined || (field.kind === "core" && !field.hasColumn);
}

/** The fields that are stored as custom fields, those that Roster defines first, as in a user. */
export function orderStoredFields(fields: Iterable<string>): string[] {
  const stored = new Set(fields);
  const defined = Object.keys(userFields).filter((field) => isStoredAsCustom(field) && stored.has(field));
  return [...defined, ...[...stored].filter(isCustomField)];
}

/** Undefined for custom fields: their values can have any type. */
export function fieldType(name: string): FieldFacts["type"] | undefined {
  return facts.get(name)?.type;
}

export const managedFields: readonly ManagedField[] = Object.keys(userFields).filter(isManagedField);
/** In descending order with a `-` in front. */
export const columnFields: readonly ColumnField[] = Object.keys(userFields).filter(isColumnField);
