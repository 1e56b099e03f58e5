/** Some fields of a record, by which it is known, and what each is. */
export type FieldTypes = Readonly<Record<string, "number" | "string">>;

/** Whether this is a record with these marks. That the rest of it is what its type says is the sender's promise. */
export function hasFields<Item>(value: unknown, marks: FieldTypes): value is Item {
  return Object.entries(marks).every(([field, type]) => typeof Reflect.get(Object(value), field) === type);
}
