import type { Operation } from "../contract/operation.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { acceptHeaders } from "./content-type.ts";
import { createInputReader, type Input, type OperationHandler, type ReadBody } from "./operation-input.ts";
import { HttpProblemError, type ProblemRenderer } from "./problem-response.ts";
import { type Handler, parsePath, type RequestContext } from "./request-context.ts";
import { emptyResponse, withoutBody } from "./responses.ts";
import { RouteTable } from "./route-table.ts";

/** The paths below a prefix, which share the format of their error responses. */
export interface Area {
  /** Such as `/scim/v2`. */
  readonly prefix: string;
  readonly renderProblem: ProblemRenderer;
  /** A path of the area as its operations spell it, if paths match in any case. */
  readonly spell?: (path: string) => string;
}

/** The handlers of one path, by method. */
interface Resource {
  readonly path: string;
  readonly handlers: Map<string, Handler>;
  /** Headers of the OPTIONS response, beside Allow. */
  readonly optionsHeaders: Record<string, string>;
}

export interface RouterParts {
  /** Admits a request for an operation, or throws. */
  admit(context: RequestContext, operation: Operation): MaybePromise<void>;
  readonly readBody: ReadBody;
  /** Turns the idle timeout of a request's connection on or off. */
  setIdleTimeout(request: Request, enabled: boolean): void;
  /** Renders errors of paths outside every area. */
  readonly renderProblem: ProblemRenderer;
}

/** Finds the handler of a request, checks the request as its operation declares, and finds the area that renders its errors. */
export class Router {
  readonly #parts: RouterParts;
  readonly #resources = new RouteTable<Resource>();
  /** Longest prefix first. */
  readonly #areas: Area[] = [];
  #fallbackPage: Handler | undefined;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  addArea(area: Area): void {
    this.#areas.push(area);
    this.#areas.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** Registers the handler of an operation at the operation's method and path. It gets requests that the operation allows. */
  serve<const Op extends Operation>(operation: Op, handler: OperationHandler<Op>): void {
    const { method, path } = operation;
    const readInput = createInputReader(operation, this.#parts.readBody);
    const respond = this.#wrap(operation, handler);
    const run: Handler = (context) => {
      const input = readInput(context);
      return input instanceof Promise
        ? input.then((read) => respond(context, read))
        : respond(context, input);
    };
    const { handlers, optionsHeaders } = this.#resource(path);
    Object.assign(optionsHeaders, acceptHeaders(operation));
    handlers.set(method, (context) => {
      context.route = path;
      const admitted = this.#parts.admit(context, operation);
      return admitted instanceof Promise ? admitted.then(() => run(context)) : run(context);
    });
  }

  /** Registers GET of a page or a file. The contract does not describe it, and it needs no key. */
  servePage(path: string, handler: Handler): void {
    this.#resource(path).handlers.set("GET", handler);
  }

  /** Sets the page that browsers get at unknown addresses. Programs get a problem. */
  setFallbackPage(handler: Handler): void {
    this.#fallbackPage = handler;
  }

  /** Throws `not-found`, `method-not-allowed`, and everything that the handler throws. */
  dispatch(context: RequestContext): MaybePromise<Response> {
    const { method } = context.request;
    const path = normalizePath(context.url);
    const match = this.#resources.find(this.#findArea(path)?.spell?.(path) ?? path);
    if (!match) {
      if (this.#fallbackPage && isPageRequest(context)) return this.#fallbackPage(context);
      throw new ProblemError("not-found");
    }
    const { path: route, handlers, optionsHeaders } = match.target;
    context.route = route;
    context.parameters = match.parameters;
    const handler = handlers.get(method);
    if (handler) return handler(context);
    const get = handlers.get("GET");
    if (method === "HEAD" && get) return andThen(get(context), withoutBody);
    const allow = [...handlers.keys(), ...(get ? ["HEAD"] : []), "OPTIONS"].join(", ");
    if (method === "OPTIONS") return emptyResponse(context, 204, { allow, ...optionsHeaders });
    throw new HttpProblemError("method-not-allowed", `This path supports ${allow}, not ${method}.`, {
      allow,
    });
  }

  /** The handler of an operation, for a server that matches the operation's path itself. */
  getHandler({ method, path }: Operation): Handler {
    const handler = this.#resource(path).handlers.get(method);
    if (!handler) throw new Error(`No handler is registered for ${method} ${path}.`);
    return handler;
  }

  /** Renders a problem in the format of the area that the request's path belongs to. */
  renderProblem(context: RequestContext, problem: ProblemError): Response {
    const area = this.#findArea(normalizePath(context.url));
    return (area ?? this.#parts).renderProblem(context, problem);
  }

  #findArea(path: string): Area | undefined {
    return this.#areas.find(
      ({ prefix }) =>
        path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/"),
    );
  }

  /** Adds what the operation says about the log and the idle timeout. Most operations say nothing: their handler stays as it is. */
  #wrap<Op extends Operation>(
    { logged, takesLong }: Op,
    handler: OperationHandler<Op>,
  ): OperationHandler<Op> {
    const respond = takesLong ? this.#withoutIdleTimeout(takesLong, handler) : handler;
    if (!logged) return respond;
    return (context, input) =>
      andThen(respond(context, input), (response) => {
        context.logAtInfo = parameterOf(input, "dryRun") !== true;
        return response;
      });
  }

  #withoutIdleTimeout<Op extends Operation>(
    takesLong: NonNullable<Operation["takesLong"]>,
    handler: OperationHandler<Op>,
  ): OperationHandler<Op> {
    const { setIdleTimeout } = this.#parts;
    const wait = async (context: RequestContext, input: Input<Op>): Promise<Response> => {
      setIdleTimeout(context.request, false);
      try {
        return await handler(context, input);
      } finally {
        setIdleTimeout(context.request, true);
      }
    };
    if (takesLong === true) return wait;
    const { parameter, type } = takesLong;
    return (context, input) =>
      context.responseType === type || parameterOf(input, parameter) !== undefined
        ? wait(context, input)
        : handler(context, input);
  }

  #resource(path: string): Resource {
    return this.#resources.getOrAdd(path, () => ({ path, handlers: new Map(), optionsHeaders: {} }));
  }
}

/** Whether a person opened the address in a browser. */
function isPageRequest({ request: { method, headers }, url }: RequestContext): boolean {
  const accepted = headers.get("accept") ?? "";
  return (
    method === "GET" && accepted.includes("text/html") && !/^\/(?:api|scim)(?:\/|$)/.test(parsePath(url))
  );
}

/** The value of a parameter that the operation may have. */
function parameterOf(input: Readonly<Record<string, unknown>>, parameter: string): unknown {
  return input[parameter];
}

/** The percent-encoding of a character that needs none (RFC 3986, unreserved). */
const NEEDLESS_ENCODING = /%(?:2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;

/** Removes a trailing slash and needless percent-encoding. An encoded slash stays encoded. */
function normalizePath(url: string): string {
  const path = parsePath(url);
  const bare = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return bare.includes("%") ? bare.replace(NEEDLESS_ENCODING, decodeURIComponent) : bare;
}
