import type { Config } from "../config.ts";
import { operations } from "../contract/operations.ts";
import { Refusal } from "../domain/refusal.ts";
import { andThen, type Soon } from "../domain/soon.ts";
import type { Store } from "../domain/store.ts";
import { Users } from "../domain/users.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { serveDocs } from "./docs.ts";
import { type Exchange, type Handler, requestIdOf } from "./exchange.ts";
import { serveHealth } from "./health.ts";
import { HostCheck } from "./host.ts";
import { pathOf, problemAnswer } from "./problem.ts";
import { Routes } from "./routes.ts";
import { serveUsers } from "./users.ts";

export interface AppParts {
  readonly config: Config;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly version: string;
  readonly isStopping: () => boolean;
}

export type Fetch = (request: Request) => Soon<Response>;

/** The whole service without its socket. */
export interface App {
  /** Answers any request. */
  readonly fetch: Fetch;
  /** Answers GET of the user with this id, for a server that has looked at method and path already. */
  readonly readUser: (request: Request, id: string) => Soon<Response>;
}

/** Every route, and what happens before and after each. */
export function createApp(parts: AppParts): App {
  const { config, store, metrics, version, isStopping } = parts;
  const hosts = config.auth === "off" ? undefined : new HostCheck();
  const routes = new Routes();
  serveUsers(routes, new Users(store, config.recordLimit), config.bodyLimit);
  serveHealth(routes, store, metrics, isStopping);
  serveDocs(routes, version);

  const answer: Handler = (exchange) => {
    const { method } = exchange.request;
    if (method !== "HEAD") return routes.answer(exchange, method);
    return andThen(routes.answer(exchange, "GET"), withoutBody);
  };
  const finish = (exchange: Exchange, response: Response) => {
    // Whoever would use the connection again might do so just when it is being closed.
    if (isStopping()) response.headers.set("connection", "close");
    record(parts, exchange, response.status, performance.now() - exchange.start);
    return response;
  };
  const fail = (exchange: Exchange, error: unknown) => finish(exchange, problemAnswer(exchange, error));

  const handle = (request: Request, parameter: string, handler: Handler): Soon<Response> => {
    const start = performance.now();
    const requestId = requestIdOf(request);
    const exchange: Exchange = { request, start, requestId, route: "", parameter, cause: undefined };
    try {
      if (hosts && !hosts.isLocal(request)) throw new Refusal("wrong-host");
      const response = handler(exchange);
      if (!(response instanceof Promise)) return finish(exchange, response);
      return response.then(
        (answered) => finish(exchange, answered),
        (error) => fail(exchange, error),
      );
    } catch (error) {
      return fail(exchange, error);
    }
  };
  const readUser = routes.handlerOf(operations.readUser);
  return {
    fetch: (request) => handle(request, "", answer),
    readUser: (request, id) => handle(request, id, readUser),
  };
}

/** HEAD is GET without the body, down to the Content-Length. */
async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status: response.status, headers });
}

/** Counts every request; logs those that failed or were slow, and at debug all of them. */
function record({ metrics, log, config }: AppParts, exchange: Exchange, status: number, ms: number): void {
  const { request, route, requestId, cause } = exchange;
  metrics.answered(route, request.method, status, ms / 1000);
  const level = status >= 500 ? "error" : ms > config.slowMs ? "warn" : "debug";
  if (!log.enabled(level)) return;
  log.write(level, status >= 500 ? "request failed" : ms > config.slowMs ? "slow request" : "request", {
    method: request.method,
    path: pathOf(request.url).slice(0, 256),
    status,
    ms: Math.round(ms * 10) / 10,
    requestId,
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : undefined,
  });
}
