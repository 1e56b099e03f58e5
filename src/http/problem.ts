import { withoutSecretsInPath } from "../contract/key-secret.ts";
import { mediaTypes } from "../contract/operation.ts";
import { type ProblemDocument, problems } from "../contract/problems.ts";
import { Refusal } from "../domain/refusal.ts";
import { type Exchange, jsonAnswer } from "./exchange.ts";

/** Seconds after which a 503 is worth another try. */
const RETRY_AFTER = "1";

/** A problem that carries headers of its own, such as Allow. */
export class HttpRefusal extends Refusal {
  constructor(
    type: Refusal["type"],
    detail: string,
    readonly headers: Record<string, string>,
  ) {
    super(type, detail);
  }
}

/** Any error as the one document that callers get. What is not a refusal is ours, and says nothing of the inside. */
export function problemAnswer(exchange: Exchange, error: unknown): Response {
  const refusal = error instanceof Refusal ? error : new Refusal("internal");
  const { status, title } = problems[refusal.type];
  if (status >= 500) exchange.cause = error;
  const document: ProblemDocument = {
    type: `/problems/${refusal.type}`,
    title,
    status,
    detail: refusal.detail,
    instance: withoutSecretsInPath(pathOf(exchange.request.url)),
    requestId: exchange.requestId,
    ...(refusal.errors && { errors: [...refusal.errors] }),
  };
  return jsonAnswer(exchange, status, JSON.stringify(document), {
    "content-type": mediaTypes.problem,
    ...(status === 503 && { "retry-after": RETRY_AFTER }),
    ...(refusal.replayed && { "idempotency-replayed": "true" }),
    ...(refusal instanceof HttpRefusal && refusal.headers),
  });
}

/** The path of a URL, never its query: what is in there is not for logs and error pages. */
export function pathOf(url: string): string {
  // Without a Host header there is no more than the path to make a URL of.
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : end);
}
