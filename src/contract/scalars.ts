import Type, { type Static, type TSchema } from "typebox";

/** An integer that JSON carries exactly. Without the format, clients generated for Go and Java may hold only 32 bits. */
export const Integer = (options: { minimum: number; maximum?: number; description?: string }) =>
  Type.Integer({ format: "int64", maximum: Number.MAX_SAFE_INTEGER, ...options });

export const Id = Integer({
  minimum: 1,
  description: "Assigned by the service in ascending order and never reused.",
});

/** Whether a text is an id in plain decimal. */
export function isId(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Whether a value in JSON is an id. */
export function isIdValue(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/** What is wrong with a value in JSON that is not an id. */
export const INVALID_ID = "An id is a positive integer.";

/** Sets the default of a new schema. Its type tells that a parameter with this schema always has a value. */
export const withDefault = <Schema extends TSchema>(schema: Schema, value: Static<Schema>) =>
  Object.assign(schema, { default: value });

/** The type of the values that a schema allows. */
export type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : unknown;

/** A parameter that turns something on. */
export const Flag = withDefault(Type.Boolean(), false);

/** A time in a response. */
export const Timestamp = (description: string) =>
  Type.String({
    format: "date-time",
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
    description,
  });

export const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
