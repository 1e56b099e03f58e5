/** Some fields of a JSON object, and their types. */
export type FieldTypes = Readonly<Record<string, "number" | "string" | "boolean" | "number or string">>;

/** Whether the value is an object with these fields. The client trusts the service for its other fields. */
export function hasFields<Item>(value: unknown, types: FieldTypes): value is Item {
  return Object.entries(types).every(([field, type]) =>
    type.includes(typeof Reflect.get(Object(value), field)),
  );
}
