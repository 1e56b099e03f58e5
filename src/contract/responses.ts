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
    "Names this request in the service's log: the caller's own X-Request-Id, if it sent a sane one.",
  schema: Type.String({ minLength: 1, maxLength: 128 }),
};
const noSniff: HeaderDescription = {
  description: "The type is what it says.",
  schema: Type.Literal("nosniff"),
};
const cacheControl: HeaderDescription = {
  description: "Answers are the caller's own, and are asked for anew.",
  schema: Type.Literal("private, no-cache"),
};
const retryAfter: HeaderDescription = {
  description: "Seconds to wait.",
  schema: Type.String({ pattern: "^[1-9][0-9]*$" }),
};
const challenge: HeaderDescription = {
  description: "How to show who one is.",
  schema: Type.String({ pattern: "^Bearer" }),
};
const rateHeaders: Record<string, HeaderDescription> = {
  "RateLimit-Policy": {
    description: "How many requests (`q`) in how many seconds (`w`) the caller has, where it is limited.",
    schema: Type.String(),
    optional: true,
  },
  RateLimit: {
    description: "How many requests are left (`r`) of those for the next seconds (`t`).",
    schema: Type.String(),
    optional: true,
  },
};
const methods = (description: string): HeaderDescription => ({ description, schema: Type.String() });

/** Headers that one type of problem carries beside the usual ones. */
const problemHeaders: Partial<Record<ProblemType, Record<string, HeaderDescription>>> = {
  "method-not-allowed": { Allow: methods("The methods that the path takes.") },
  unauthenticated: { "WWW-Authenticate": challenge },
  "key-expired": { "WWW-Authenticate": challenge },
  "key-revoked": { "WWW-Authenticate": challenge },
  "insufficient-scope": { "WWW-Authenticate": { ...challenge, optional: true } },
  "rate-limited": { "Retry-After": retryAfter },
  "quota-exceeded": { "Retry-After": retryAfter },
  unavailable: { "Retry-After": retryAfter },
  "unsupported-media-type": {
    "Accept-Post": { ...methods("The types that POST takes."), optional: true },
    "Accept-Patch": { ...methods("The types that PATCH takes."), optional: true },
  },
  "email-taken": {
    "Idempotency-Replayed": {
      description: "`true` when this is the outcome of an earlier request with the same Idempotency-Key.",
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
