import type { Operation } from "../contract/operation.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Soon } from "../domain/soon.ts";
import { preferred } from "./conditions.ts";
import { type Exchange, emptyAnswer, type Handler } from "./exchange.ts";
import { HttpRefusal, pathOf } from "./problem.ts";

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
export class Routes {
  readonly #admit: (exchange: Exchange, operation: Operation) => Soon<void>;
  readonly #fixed = new Map<string, Resource>();
  /** Those with a parameter, by what stands before it. */
  readonly #named = new Map<string, Resource>();

  /** `admit` lets a request for an operation in, or throws. */
  constructor(admit: (exchange: Exchange, operation: Operation) => Soon<void>) {
    this.#admit = admit;
  }

  /** An operation, at the path and with the method that the contract gives it. */
  serve(operation: Operation, handler: Handler): void {
    const { method, path, answers } = operation;
    const types = typesOf(answers);
    const answer: Handler = (exchange) => {
      const type = preferred(exchange.request.headers.get("accept"), types);
      if (type === undefined && types.length > 0) {
        throw new Refusal("not-acceptable", `This can be had as ${types.join(" or ")} only.`);
      }
      exchange.form = type;
      return handler(exchange);
    };
    this.#resource(path).handlers.set(method, (exchange) => {
      exchange.route = path;
      const admitted = this.#admit(exchange, operation);
      return admitted instanceof Promise ? admitted.then(() => answer(exchange)) : answer(exchange);
    });
  }

  /** A file that a page needs: no operation of the contract. */
  serveAsset(path: string, handler: Handler): void {
    this.#resource(path).handlers.set("GET", handler);
  }

  advise(path: string, headers: Record<string, string>): void {
    this.#resource(path).advice = headers;
  }

  answer(exchange: Exchange, method: string): Soon<Response> {
    const resource = this.#find(exchange);
    if (!resource) throw new Refusal("not-found");
    exchange.route = resource.path;
    const handler = resource.handlers.get(method);
    if (handler) return handler(exchange);
    const allow = allowed(resource);
    if (method === "OPTIONS") return emptyAnswer(exchange, 204, { allow, ...resource.advice });
    throw new HttpRefusal("method-not-allowed", `This address takes ${allow}, not ${method}.`, { allow });
  }

  /** The handler of one operation, for whoever has found it by other means. */
  handlerOf({ method, path }: Operation): Handler {
    const handler = this.#resource(path).handlers.get(method);
    if (!handler) throw new Error(`Nothing serves ${method} ${path}.`);
    return handler;
  }

  #find(exchange: Exchange): Resource | undefined {
    const path = routePath(exchange.request.url);
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    const last = path.lastIndexOf("/");
    const named = this.#named.get(path.slice(0, last));
    if (!named || last + 1 === path.length) return undefined;
    exchange.parameter = decoded(path.slice(last + 1));
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
function typesOf(answers: Operation["answers"]): string[] {
  const forms = Object.values(answers).flatMap(({ body, forms = [] }) => (body ? [body, ...forms] : []));
  return [...new Set(forms.map(({ type }) => type))];
}

/** A trailing slash and needless percent-encoding make no difference; an encoded slash is no slash. */
function routePath(url: string): string {
  const path = pathOf(url);
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
