import Type, { type Static } from "typebox";
import { Integer } from "./scalars.ts";

/** One error in a request body (`pointer`, RFC 6901) or in a query string (`parameter`). */
export const FieldError = Type.Object(
  {
    pointer: Type.Optional(
      Type.String({ description: "A JSON Pointer to the invalid value in the request body." }),
    ),
    parameter: Type.Optional(Type.String({ description: "The invalid query parameter." })),
    detail: Type.String(),
    position: Type.Optional(
      Integer({
        minimum: 1,
        description:
          "Where a filter expression is invalid: the number of the character (Unicode code point), from 1.",
      }),
    ),
  },
  { description: "One error in the request body or the query string." },
);
export type FieldError = Static<typeof FieldError>;

/** The body of every error response (RFC 9457), as `application/problem+json`. */
export const ProblemDocument = Type.Object(
  {
    type: Type.String({ description: "The problem type: the path of a page that explains the problem." }),
    title: Type.String(),
    status: Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: "What went wrong in this request, and what to do." }),
    instance: Type.String({ description: "The path of the request." }),
    requestId: Type.String({ description: "The same as X-Request-Id. The service's log contains it too." }),
    errors: Type.Optional(
      Type.Array(FieldError, { description: "Every error in the request body or the query string." }),
    ),
  },
  { description: "An error response (RFC 9457)." },
);
export type ProblemDocument = Static<typeof ProblemDocument>;
