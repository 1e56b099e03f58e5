import Type, { type Static } from "typebox";

/** One fault in a body or a query; `pointer` is a JSON Pointer (RFC 6901) into the body, `parameter` a query parameter. */
export const FieldError = Type.Object({
  pointer: Type.Optional(Type.String({ description: "A JSON Pointer to the fault in the body." })),
  parameter: Type.Optional(Type.String({ description: "The query parameter at fault." })),
  detail: Type.String(),
});
export type FieldError = Static<typeof FieldError>;

/** The one shape of every error (RFC 9457), sent as `application/problem+json`. */
export const ProblemDocument = Type.Object(
  {
    type: Type.String({ description: "A page on this service that explains the error and its cure." }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: "What happened this time, and what to do." }),
    instance: Type.String({ description: "The path that was asked for." }),
    requestId: Type.String({ description: "The same as X-Request-Id; the service's log has it too." }),
    errors: Type.Optional(
      Type.Array(FieldError, { description: "Every fault, where there can be several." }),
    ),
  },
  { description: "What went wrong (RFC 9457)." },
);
export type ProblemDocument = Static<typeof ProblemDocument>;
