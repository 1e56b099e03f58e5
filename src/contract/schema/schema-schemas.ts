import Type, { type Static } from "typebox";
import { FieldError } from "../problem-schemas.ts";
import { Id, Integer, Timestamp } from "../scalars.ts";
import { schemaLimits } from "./schema.ts";

/** The schema for custom fields, in requests and responses. */
export const FieldsSchema = Type.Object(
  {},
  {
    additionalProperties: true,
    // Tells it apart from other objects with any properties: equal schemas get one name in the description.
    minProperties: 0,
    description:
      "A JSON Schema (2020-12) of the custom fields. `{}` allows everything. docs/schema.md lists the supported keywords.",
  },
);

export const SchemaVersion = Type.Object(
  {
    version: Integer({ minimum: 1 }),
    createdAt: Timestamp("When this version was stored."),
    schema: FieldsSchema,
  },
  { description: "A version of the schema. `{}` if the schema was removed." },
);
export type SchemaVersion = Static<typeof SchemaVersion>;

export const SchemaViolation = Type.Object(
  {
    id: Id,
    errors: Type.Array(FieldError, {
      minItems: 1,
      maxItems: schemaLimits.errorsPerUser,
      description: "What the schema does not allow, with a JSON Pointer into the user.",
    }),
  },
  { description: "A user that the schema does not allow." },
);
export type SchemaViolation = Static<typeof SchemaViolation>;

/** The result of a dry run. */
export const SchemaCheck = Type.Object(
  {
    checked: Integer({ minimum: 0, description: "Users that were checked." }),
    violating: Integer({ minimum: 0, description: "Users that the schema does not allow." }),
    violations: Type.Array(SchemaViolation, {
      maxItems: schemaLimits.violations,
      description: `The first of them, up to ${schemaLimits.violations}.`,
    }),
  },
  { description: "What a schema would mean for the users that exist." },
);
export type SchemaCheck = Static<typeof SchemaCheck>;
