import Type from "typebox";

/** An integer that JSON carries exactly. Without the format, clients generated for Go and Java may hold only 32 bits. */
export const Integer = (options: {
  minimum: number;
  maximum?: number;
  default?: number;
  description?: string;
}) => Type.Integer({ format: "int64", maximum: Number.MAX_SAFE_INTEGER, ...options });

export const Id = Integer({
  minimum: 1,
  description: "Assigned by the service in ascending order and never reused.",
});

/** A time in a response. */
export const Timestamp = (description: string) =>
  Type.String({
    format: "date-time",
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
    description,
  });

export const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
