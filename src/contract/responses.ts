import Type from "typebox";
import {
  type BodyDescription,
  type HeaderDescription,
  mediaTypes,
  type Operation,
  type ResponseDescription,
} from "./operation.ts";
import { listProblems } from "./operations.ts";
import { ProblemDocument } from "./problem-schemas.ts";
import { type ProblemType, problemExample, problems } from "./problems.ts";

/** One response of an operation, with every header that it carries. */
export interface DescribedResponse {
  readonly status: number;
  readonly description: string;
  readonly headers: Readonly<Record<string, HeaderDescription>>;
  /** The body in each media type. Empty if the response has no body. */
  readonly bodies: readonly BodyDescription[];
  /** The problems with this status. Empty if the request succeeded. */
  readonly problems: readonly ProblemType[];
}

const requestId: HeaderDescription = {
  description:
    "The id of this request in the service's log: your X-Request-Id if it is valid, else a generated one.",
  schema: Type.String({ minLength: 1, maxLength: 128 }),
};
const noSniff: HeaderDescription = {
  description: "Browsers must not guess the media type.",
  schema: Type.Literal("nosniff"),
};
const resourcePolicy: HeaderDescription = {
  description: "Pages of other origins must not embed the response.",
  schema: Type.Literal("same-origin"),
};
const cacheControl: HeaderDescription = {
  description: "Caches must not store the response: it may hold personal data.",
  schema: Type.Literal("no-store"),
};
const retryAfter: HeaderDescription = {
  description: "Seconds to wait before the next request.",
  schema: Type.String({ pattern: "^[1-9][0-9]*$" }),
};
const challenge: HeaderDescription = {
  description: "The authentication scheme.",
  schema: Type.String({ pattern: "^Bearer" }),
};
const rateHeaders: Record<string, HeaderDescription> = {
  "RateLimit-Policy": {
    description: "The caller's limits: `q` requests in `w` seconds. Absent if the caller has no limits.",
    schema: Type.String(),
    optional: true,
  },
  RateLimit: {
    description: "Requests that remain (`r`) for the next `t` seconds.",
    schema: Type.String(),
    optional: true,
  },
};
const methods = (description: string): HeaderDescription => ({ description, schema: Type.String() });

/** Additional headers of some problem types. */
const problemHeaders: Partial<Record<ProblemType, Record<string, HeaderDescription>>> = {
  "method-not-allowed": { Allow: methods("The methods that the path supports.") },
  unauthenticated: { "WWW-Authenticate": challenge },
  "key-expired": { "WWW-Authenticate": challenge },
  "key-revoked": { "WWW-Authenticate": challenge },
  "insufficient-scope": { "WWW-Authenticate": { ...challenge, optional: true } },
  "rate-limited": { "Retry-After": retryAfter },
  "quota-exceeded": { "Retry-After": retryAfter },
  unavailable: { "Retry-After": retryAfter },
  "unsupported-media-type": {
    "Accept-Post": { ...methods("The media types that POST accepts."), optional: true },
    "Accept-Patch": { ...methods("The media types that PATCH accepts."), optional: true },
    "Accept-Encoding": { ...methods("The content codings that request bodies may have."), optional: true },
  },
  "email-taken": {
    "Idempotency-Replayed": {
      description:
        "`true` if this is the stored outcome of an earlier request with the same Idempotency-Key.",
      schema: Type.Literal("true"),
      optional: true,
    },
  },
};

/** Every response of an operation in the order of their statuses, problems included. */
export function listResponses(operation: Operation): DescribedResponse[] {
  const successes = Object.entries(operation.responses).map(([status, response]) =>
    describeSuccess(operation, Number(status), response),
  );
  const byStatus = Map.groupBy(listProblems(operation), (type) => problems[type].status);
  const failures = [...byStatus].map(([status, types]) => describeProblems(operation, status, types));
  return [...successes, ...failures].sort((a, b) => a.status - b.status);
}

function describeSuccess(
  operation: Operation,
  status: number,
  response: ResponseDescription,
): DescribedResponse {
  return {
    status,
    description: response.description,
    headers: {
      "X-Request-Id": requestId,
      "X-Content-Type-Options": noSniff,
      "Cross-Origin-Resource-Policy": resourcePolicy,
      ...(operation.access !== "public" && rateHeaders),
      ...(operation.tag !== "service" && { "Cache-Control": cacheControl }),
      ...response.headers,
    },
    bodies: response.body ? [response.body, ...(response.alternatives ?? [])] : [],
    problems: [],
  };
}

/** Problems with the same status share one description and have one example each. */
function describeProblems(
  operation: Operation,
  status: number,
  types: readonly ProblemType[],
): DescribedResponse {
  const instance = operation.path.replace("{id}", "1").replace("{type}", "nothing");
  return {
    status,
    description: types.map((type) => `**${type}**: ${problems[type].when}`).join("\n\n"),
    headers: {
      ...Object.assign({}, ...types.map((type) => problemHeaders[type])),
      ...(operation.access !== "public" && rateHeaders),
      "X-Request-Id": requestId,
      "X-Content-Type-Options": noSniff,
      "Cross-Origin-Resource-Policy": resourcePolicy,
      "Cache-Control": cacheControl,
    },
    bodies: [
      {
        type: mediaTypes.problem,
        schema: ProblemDocument,
        examples: Object.fromEntries(types.map((type) => [type, problemExample(type, instance)])),
      },
    ],
    problems: types,
  };
}
