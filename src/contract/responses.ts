import {
  cacheControl,
  challenge,
  idempotencyReplayed,
  listHeader,
  noSniff,
  rateHeaders,
  requestId,
  resourcePolicy,
  retryAfter,
} from "./headers.ts";
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
export interface DescribedResponse<Status = number> {
  readonly status: Status;
  /** The name in the description's components. */
  readonly component?: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, HeaderDescription>>;
  /** The body in each media type. Empty if the response has no body. */
  readonly bodies: readonly BodyDescription[];
  /** The problems with this status. Empty if the request succeeded. */
  readonly problems: readonly ProblemType[];
}

/** Additional headers of some problem types. */
const problemHeaders: Partial<Record<ProblemType, Record<string, HeaderDescription>>> = {
  "method-not-allowed": { Allow: listHeader("The methods that the path supports.") },
  unauthenticated: { "WWW-Authenticate": challenge },
  "key-expired": { "WWW-Authenticate": challenge },
  "key-revoked": { "WWW-Authenticate": challenge },
  "insufficient-scope": {
    "WWW-Authenticate": { ...challenge, optional: true, component: "WWW-Authenticate-Optional" },
  },
  "rate-limited": { "Retry-After": retryAfter },
  "quota-exceeded": { "Retry-After": retryAfter },
  unavailable: { "Retry-After": retryAfter },
  "unsupported-media-type": {
    "Accept-Post": { ...listHeader("The media types that POST accepts."), optional: true },
    "Accept-Patch": { ...listHeader("The media types that PATCH accepts."), optional: true },
    "Accept-Encoding": { ...listHeader("The content codings that request bodies may have."), optional: true },
  },
  "email-taken": { "Idempotency-Replayed": idempotencyReplayed },
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

/** The responses without the headers that all responses have, and one response for all problems. */
export function listBriefResponses(operation: Operation): DescribedResponse<number | "default">[] {
  const successes = Object.entries(operation.responses).map(([status, response]) =>
    describeOwnParts(Number(status), response),
  );
  return [...successes, anyProblem];
}

const anyProblem: DescribedResponse<"default"> = {
  status: "default",
  component: "AnyProblem",
  description: "The request failed. `type` names the problem.",
  headers: { "Retry-After": { ...retryAfter, optional: true } },
  bodies: [{ type: mediaTypes.problem, schema: ProblemDocument, examples: {} }],
  problems: [],
};

function describeSuccess(
  operation: Operation,
  status: number,
  response: ResponseDescription,
): DescribedResponse {
  const own = describeOwnParts(status, response);
  return {
    ...own,
    headers: {
      "X-Request-Id": requestId,
      "X-Content-Type-Options": noSniff,
      "Cross-Origin-Resource-Policy": resourcePolicy,
      ...(operation.access !== "public" && rateHeaders),
      ...(operation.tag !== "service" && { "Cache-Control": cacheControl }),
      ...own.headers,
    },
  };
}

/** A response with the headers of its own operation only. */
function describeOwnParts(status: number, response: ResponseDescription): DescribedResponse {
  return {
    status,
    ...(response.component && { component: response.component }),
    description: response.description,
    headers: response.headers ?? {},
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
        examples: Object.fromEntries(types.map((type) => [type, problemExample(type)])),
      },
    ],
    problems: types,
  };
}
