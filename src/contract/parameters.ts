import Type from "typebox";
import { listLimits } from "./listing.ts";
import type { Parameter } from "./operation.ts";
import type { ProblemType } from "./problems.ts";
import { Id, Integer, isId, withDefault } from "./scalars.ts";
import { IDEMPOTENCY_KEY_PATTERN, idempotency } from "./users/user.ts";

/** What to send instead of an invalid cursor. */
export const INVALID_CURSOR = "Invalid cursor. Use the whole URL of rel=next in the Link header.";

/** The id of a resource, in a path. */
export const idParameter = <const Options extends Partial<Parameter> & { notFound: ProblemType }>(
  description: string,
  options: Options,
) => ({
  in: "path" as const,
  name: "id" as const,
  description,
  schema: Id,
  required: true as const,
  correction: "An id is a positive integer in plain decimal.",
  ...options,
});

/** The size of a page. */
export const limitParameter = <const Options extends Partial<Parameter>>(
  description: string,
  options: Options,
  pageSize: { readonly maximum: number; readonly default: number } = listLimits.pageSize,
) => ({
  in: "query" as const,
  name: "limit" as const,
  description,
  schema: withDefault(Integer({ minimum: 1, maximum: pageSize.maximum }), pageSize.default),
  ...options,
});

/** The parameters of a list in the order of ids. */
export const idPageParameters = [
  limitParameter("The maximum number of items per page.", { example: 20, component: "IdPageLimit" }),
  {
    in: "query",
    name: "after",
    description: "The id after which the page begins, from the `next` URL.",
    schema: Type.String(),
    accepts: isId,
    correction: INVALID_CURSOR,
    component: "AfterId",
  },
] as const satisfies Parameter[];

export const ifMatch = {
  in: "header",
  name: "If-Match",
  description: "Change the resource only if it still has this ETag. `*` matches any version.",
  schema: Type.String(),
  example: '"1"',
  component: "IfMatch",
} as const satisfies Parameter;

/** If-Match of a request that changes nothing. */
export const readIfMatch = {
  in: "header",
  name: "If-Match",
  description: "Read the resource only if it still has this ETag. `*` matches any version.",
  schema: Type.String(),
  example: '"1"',
  component: "ReadIfMatch",
} as const satisfies Parameter;

export const ifNoneMatch = {
  in: "header",
  name: "If-None-Match",
  description: "The ETag that you have. The response is 304 if the resource still has it.",
  schema: Type.String(),
  example: '"1"',
  component: "IfNoneMatch",
} as const satisfies Parameter;

export const idempotencyKey = {
  in: "header",
  name: "Idempotency-Key",
  description: `Identifies this request, with or without quotes. Its outcome is stored for ${idempotency.retentionHours} hours.`,
  schema: Type.String({ pattern: IDEMPOTENCY_KEY_PATTERN }),
  example: "5f1c8f0e-9a52-4a57-a4a1-6f0e5b0c9d11",
  component: "IdempotencyKey",
} as const satisfies Parameter;
