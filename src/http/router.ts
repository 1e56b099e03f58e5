import type { Operation } from "../contract/operation.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { negotiateType } from "./negotiation.ts";
import { HttpProblemError, parsePath } from "./problem-response.ts";
import type { Handler, RequestContext } from "./request-context.ts";
import { emptyResponse } from "./responses.ts";

/** What can be done at one path. */
interface Resource {
  readonly path: string;
  readonly handlers: Map<string, Handler>;
  /** Headers that OPTIONS answers beside Allow. */
  advice: Record<string, string>;
}

/**
 * Finds the handler of a request. Paths are fixed, or have one parameter as their last segment: two look-ups in a map
 * find any of them.
 */
export class Router {
  readonly #admit: (context: RequestContext, operation: Operation) => MaybePromise<void>;
  readonly #fixed = new Map<string, Resource>();
  /** Those with a parameter, by what stands before it. */
  readonly #named = new Map<string, Resource>();

  /** `admit` lets a request for an operation in, or throws. */
  constructor(admit: (context: RequestContext, operation: Operation) => MaybePromise<void>) {
    this.#admit = admit;
  }

  /** An operation, at the path and with the method that the contract gives it. */
  serve(operation: Operation, handler: Handler): void {
    const { method, path, responses: answers } = operation;
    const types = typesOf(answers);
    const answer: Handler = (context) => {
      const type = negotiateType(context.request.headers.get("accept"), types);
      if (type === undefined && types.length > 0) {
        throw new ProblemError("not-acceptable", `This can be had as ${types.join(" or ")} only.`);
      }
      context.responseType = type;
      return handler(context);
    };
    this.#resource(path).handlers.set(method, (context) => {
      context.route = path;
      const admitted = this.#admit(context, operation);
      return admitted instanceof Promise ? admitted.then(() => answer(context)) : answer(context);
    });
  }

  /** A file that a page needs: no operation of the contract. */
  serveAsset(path: string, handler: Handler): void {
    this.#resource(path).handlers.set("GET", handler);
  }

  advise(path: string, headers: Record<string, string>): void {
    this.#resource(path).advice = headers;
  }

  answer(context: RequestContext, method: string): MaybePromise<Response> {
    const resource = this.#find(context);
    if (!resource) throw new ProblemError("not-found");
    context.route = resource.path;
    const handler = resource.handlers.get(method);
    if (handler) return handler(context);
    const allow = allowed(resource);
    if (method === "OPTIONS") return emptyResponse(context, 204, { allow, ...resource.advice });
    throw new HttpProblemError("method-not-allowed", `This address takes ${allow}, not ${method}.`, {
      allow,
    });
  }

  /** The handler of one operation, for whoever has found it by other means. */
  handlerOf({ method, path }: Operation): Handler {
    const handler = this.#resource(path).handlers.get(method);
    if (!handler) throw new Error(`Nothing serves ${method} ${path}.`);
    return handler;
  }

  #find(context: RequestContext): Resource | undefined {
    const path = routePath(context.request.url);
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    const last = path.lastIndexOf("/");
    const named = this.#named.get(path.slice(0, last));
    if (!named || last + 1 === path.length) return undefined;
    context.parameter = decoded(path.slice(last + 1));
    return named;
  }

  #resource(path: string): Resource {
    const start = path.indexOf("/{");
    const [resources, key] = start < 0 ? [this.#fixed, path] : [this.#named, path.slice(0, start)];
    const known = resources.get(key);
    if (known) return known;
    const resource: Resource = { path, handlers: new Map(), advice: {} };
    resources.set(key, resource);
    return resource;
  }
}

/** In which forms the answer can be had; the usual one first. */
function typesOf(answers: Operation["responses"]): string[] {
  const forms = Object.values(answers).flatMap(({ body, alternatives = [] }) =>
    body ? [body, ...alternatives] : [],
  );
  return [...new Set(forms.map(({ type }) => type))];
}

/** A trailing slash and needless percent-encoding make no difference; an encoded slash is no slash. */
function routePath(url: string): string {
  const path = parsePath(url);
  const bare = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return bare.includes("%") ? bare.replace(/%[46][1-9a-f]|%[57][0-9a]/gi, decodeURIComponent) : bare;
}

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function allowed({ handlers }: Resource): string {
  return [...handlers.keys(), ...(handlers.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}
