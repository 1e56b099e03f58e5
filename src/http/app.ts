import { type Config, isLoopback } from "../config/config.ts";
import { holdsSecret, withoutSecretsInPath } from "../contract/key-secret.ts";
import { operations } from "../contract/operations.ts";
import { nobody } from "../domain/caller.ts";
import type { KeyRing } from "../domain/key-ring.ts";
import { Keys } from "../domain/keys.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { Sessions } from "../domain/sessions.ts";
import type { Store } from "../domain/store.ts";
import { Users } from "../domain/users.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { Bulk } from "./bulk/bulk.ts";
import { ClientAddress } from "./client-address.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { serveConsole } from "./console.ts";
import { Cors } from "./cors.ts";
import { serveDocs } from "./docs.ts";
import { Gate } from "./gate.ts";
import { serveHealth } from "./health.ts";
import { HostCheck } from "./host.ts";
import { serveKeys } from "./keys.ts";
import { pathOf, problemAnswer } from "./problem.ts";
import { Bodies } from "./read-body.ts";
import { type Handler, type RequestContext, requestIdOf } from "./request-context.ts";
import { Router } from "./router.ts";
import { serveSession } from "./session.ts";
import { serveUsers } from "./users.ts";

export interface AppParts {
  readonly config: Config;
  readonly store: Store;
  readonly ring: KeyRing;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly version: string;
  readonly isStopping: () => boolean;
  /** The address at the other end of a request's connection, where there is one. */
  readonly peerOf: (request: Request) => string | undefined;
  /** Whether a request's connection may be silent for as long as it takes, or is closed after a while as any other. */
  readonly mayBeSilent: (request: Request, silent: boolean) => void;
}

export type Fetch = (request: Request) => MaybePromise<Response>;

/** The whole service without its socket. */
export interface App {
  /** Answers any request. */
  readonly fetch: Fetch;
  /** Answers GET of the user with this id, for a server that has looked at method and path already. */
  readonly readUser: (request: Request, id: string) => MaybePromise<Response>;
}

/** Every route, and what happens before and after each. */
export function createApp(parts: AppParts): App {
  const { config, store, ring, metrics, log, version, isStopping, peerOf } = parts;
  const addresses = new ClientAddress(config.trustedProxies.list, peerOf);
  const sessions = new Sessions(store.keys);
  const gate = new Gate(
    { auth: config.auth, local: isLocal(config), rate: config.rateLimit },
    ring,
    sessions,
    addresses,
  );
  const hosts = new HostCheck();
  const cors = config.corsOrigins.length > 0 ? new Cors(config.corsOrigins) : undefined;
  const underWay = new ConcurrencyLimit(config.concurrency);
  const bodies = new Bodies(config.bodyLimit, config.idleTimeout * 1000, underWay);
  const routes = new Router((context, operation) => {
    if (operation.tag !== "service") underWay.requireRoom();
    return gate.admit(context, operation.access);
  });
  const users = new Users(store, config.recordLimit);
  const bulk = new Bulk(users, config.bodyLimit, {
    mayBeSilent: parts.mayBeSilent,
    broken: (context, error) =>
      log.write("error", "answer broken off", { ...factsOf(context), cause: describeCause(error) }),
  });
  serveUsers(routes, users, bodies, bulk);
  serveKeys(routes, new Keys(store.keys, ring), bodies);
  serveSession(routes, gate, sessions, addresses, bodies);
  serveHealth(routes, store, metrics, isStopping);
  serveDocs(routes, version);
  serveConsole(routes);

  const answer: Handler = (context) => {
    const { method } = context.request;
    if (method !== "HEAD") return routes.answer(context, method);
    return andThen(routes.answer(context, "GET"), withoutBody);
  };
  const finish = (context: RequestContext, response: Response) => {
    // Whoever would use the connection again might do so just when it is being closed.
    if (isStopping()) response.headers.set("connection", "close");
    if (config.tlsCert !== "") response.headers.set("strict-transport-security", STRICT_TRANSPORT);
    cors?.mark(context.request, response);
    record(parts, context, response.status, performance.now() - context.start);
    return response;
  };
  const fail = (context: RequestContext, error: unknown) => finish(context, problemAnswer(context, error));

  const handle = (request: Request, parameter: string, handler: Handler): MaybePromise<Response> => {
    const start = performance.now();
    const requestId = requestIdOf(request);
    const context: RequestContext = {
      request,
      start,
      requestId,
      route: "",
      form: undefined,
      parameter,
      caller: nobody,
      entry: NO_ENTRY,
      allowance: undefined,
      notable: false,
      cause: undefined,
    };
    try {
      if (holdsSecret(request.url)) throw keyInUrl();
      if (gate.mode === "open" && !hosts.isLocal(request)) throw new ProblemError("wrong-host");
      const response = handler(context);
      if (!(response instanceof Promise)) return finish(context, response);
      underWay.begin();
      return response.then(
        (answered) => {
          underWay.end();
          return finish(context, answered);
        },
        (error) => {
          underWay.end();
          return fail(context, error);
        },
      );
    } catch (error) {
      return fail(context, error);
    }
  };
  const readUser = routes.handlerOf(operations.readUser);
  return {
    fetch: (request) => handle(request, "", answer),
    readUser: (request, id) => handle(request, id, readUser),
  };
}

/** For a year. Whether names below this one are served by https is not ours to say. */
const STRICT_TRANSPORT = "max-age=31536000";
const NO_ENTRY = { auth: "key", expiresAt: null } as const;

/** Whether only this machine can reach the service: not where a proxy in front lets others in. */
export function isLocal({ host, trustedProxies }: Pick<Config, "host" | "trustedProxies">): boolean {
  return isLoopback(host) && !trustedProxies.any;
}

/** Addresses are kept in logs and histories of all who pass them on. */
function keyInUrl(): ProblemError {
  return new ProblemError(
    "invalid-query",
    "A key never goes into a URL: send it as Authorization: Bearer. This one may have been seen: replace it.",
  );
}

/** HEAD is GET without the body, down to the Content-Length; of an export, that is not known before it is made. */
async function withoutBody(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status: response.status, headers });
}

/** Counts every request; logs those that failed or were slow, and at debug all of them. */
function record(
  { metrics, log, config }: AppParts,
  context: RequestContext,
  status: number,
  ms: number,
): void {
  metrics.answered(context.route, context.request.method, status, ms / 1000);
  const level = status >= 500 ? "error" : ms > config.slowMs ? "warn" : context.notable ? "info" : "debug";
  if (!log.enabled(level)) return;
  log.write(level, status >= 500 ? "request failed" : ms > config.slowMs ? "slow request" : "request", {
    ...factsOf(context),
    status,
    ms: Math.round(ms * 10) / 10,
    cause: describeCause(context.cause),
  });
}

/** What the log tells a request from others by. */
function factsOf({ request, requestId, caller }: RequestContext) {
  return {
    method: request.method,
    path: withoutSecretsInPath(pathOf(request.url)).slice(0, 256),
    requestId,
    key: caller.actor ?? undefined,
  };
}

/** What was at fault and why. Of a problem, which may come by the thousand, nobody needs to know the line of code. */
function describeCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const own = cause instanceof ProblemError ? cause.message : (cause.stack ?? cause.message);
  const deeper = describeCause(cause.cause);
  return deeper === undefined ? own : `${own}\ncaused by ${deeper}`;
}
