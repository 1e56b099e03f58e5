import { Hono } from "hono";
import { RegExpRouter } from "hono/router/reg-exp-router";
import type { Config } from "../config.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Store } from "../domain/store.ts";
import { Users } from "../domain/users.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { serveDocs } from "./docs.ts";
import { type Exchange, requestIdOf } from "./exchange.ts";
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

export type Fetch = (request: Request) => Response | Promise<Response>;

/** The whole service behind one function: every route, and what happens before and after each. */
export function createApp(parts: AppParts): Fetch {
  const { config, store, metrics, version, isStopping } = parts;
  const app = new Hono<{ Bindings: Exchange }>({
    router: new RegExpRouter(),
    getPath: ({ url }) => routePath(url),
  });
  const routes = new Routes(app);

  serveUsers(routes, new Users(store, config.recordLimit), config.bodyLimit);
  serveHealth(routes, store, metrics, isStopping);
  serveDocs(routes, version);
  routes.finish();
  app.onError((error, c) => problemAnswer(c.env, c.req.raw.url, error));

  const hosts = config.auth === "off" ? undefined : new HostCheck();
  return (request) => {
    const start = performance.now();
    const exchange: Exchange = { requestId: requestIdOf(request), route: "", cause: undefined };
    const finish = (response: Response) => {
      record(parts, request, exchange, response.status, performance.now() - start);
      return response;
    };
    if (hosts && !hosts.isLocal(request)) {
      return finish(problemAnswer(exchange, request.url, new Refusal("wrong-host")));
    }
    const response = request.method === "HEAD" ? head(app, request, exchange) : app.fetch(request, exchange);
    return response instanceof Promise ? response.then(finish) : finish(response);
  };
}

/** The path that routes are matched with: a trailing slash and needless percent-encoding make no difference. */
function routePath(url: string): string {
  const path = pathOf(url);
  const bare = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (!bare.includes("%")) return bare;
  try {
    // Hono decodes parameters once more: an encoded percent sign has to survive that.
    return decodeURI(bare.replaceAll("%25", "%2525"));
  } catch {
    return bare;
  }
}

/** HEAD is GET without the body, down to the Content-Length. */
async function head(
  app: Hono<{ Bindings: Exchange }>,
  request: Request,
  exchange: Exchange,
): Promise<Response> {
  const response = await app.fetch(new Request(request.url, { headers: request.headers }), exchange);
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status: response.status, headers });
}

/** Counts every request; logs those that failed or were slow, and at debug all of them. */
function record(
  { metrics, log, config }: AppParts,
  request: Request,
  exchange: Exchange,
  status: number,
  ms: number,
): void {
  metrics.answered(exchange.route, request.method, status, ms / 1000);
  const level = status >= 500 ? "error" : ms > config.slowMs ? "warn" : "debug";
  if (!log.enabled(level)) return;
  log.write(level, status >= 500 ? "request failed" : ms > config.slowMs ? "slow request" : "request", {
    method: request.method,
    path: pathOf(request.url).slice(0, 256),
    status,
    ms: Math.round(ms * 10) / 10,
    requestId: exchange.requestId,
    cause: exchange.cause instanceof Error ? (exchange.cause.stack ?? exchange.cause.message) : undefined,
  });
}
