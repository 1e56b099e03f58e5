import { type Config, isLoopback } from "../config/config.ts";
import { containsSecret, redactSecretsInPath } from "../contract/key-secret.ts";
import { operations } from "../contract/operations.ts";
import { unknownCaller } from "../domain/caller.ts";
import type { KeyRing } from "../domain/key-ring.ts";
import { Keys } from "../domain/keys.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { RecordRules } from "../domain/record-rules.ts";
import { Sessions } from "../domain/sessions.ts";
import type { Store } from "../domain/store.ts";
import { Users } from "../domain/users.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { BodyReader } from "./body-reader.ts";
import { Bulk } from "./bulk/bulk.ts";
import { ClientAddress } from "./client-address.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { serveConsole } from "./console.ts";
import { Cors } from "./cors.ts";
import { serveDocs } from "./docs.ts";
import { Gate } from "./gate.ts";
import { serveHealth } from "./health.ts";
import { HostCheck } from "./host-check.ts";
import { serveKeys } from "./keys.ts";
import { parsePath, problemResponse } from "./problem-response.ts";
import { chooseRequestId, type Handler, type RequestContext } from "./request-context.ts";
import { Router } from "./router.ts";
import { serveSession } from "./session.ts";
import { serveUsers } from "./users.ts";

export interface AppParts {
  readonly config: Config;
  readonly store: Store;
  readonly recordRules: RecordRules;
  readonly ring: KeyRing;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly version: string;
  readonly isStopping: () => boolean;
  /** The address at the other end of a request's connection, where there is one. */
  readonly peerAddress: (request: Request) => string | undefined;
  /** Turns the idle timeout of a request's connection on or off. */
  readonly setIdleTimeout: (request: Request, enabled: boolean) => void;
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
  const { config, store, ring, metrics, log, version, isStopping, peerAddress: peerOf } = parts;
  const addresses = new ClientAddress(config.trustedProxies.list, peerOf);
  const sessions = new Sessions(store.keys);
  const gate = new Gate(
    { auth: config.auth, local: isLoopbackOnly(config), rate: config.rateLimit },
    ring,
    sessions,
    addresses,
  );
  const hosts = new HostCheck();
  const cors = config.corsOrigins.length > 0 ? new Cors(config.corsOrigins) : undefined;
  const concurrency = new ConcurrencyLimit(config.concurrency);
  const bodyReader = new BodyReader(config.bodyLimit, config.idleTimeout * 1000, concurrency);
  const router = new Router((context, operation) => {
    if (operation.tag !== "service") concurrency.requireCapacity();
    return gate.admit(context, operation.access);
  });
  const users = new Users(store, parts.recordRules);
  const bulk = new Bulk(users, config.bodyLimit, {
    setIdleTimeout: parts.setIdleTimeout,
    onStreamError: (context, error) =>
      log.write("error", "answer broken off", { ...factsOf(context), cause: describeCause(error) }),
  });
  serveUsers(router, users, bodyReader, bulk);
  serveKeys(router, new Keys(store.keys, ring), bodyReader);
  serveSession(router, gate, sessions, addresses, bodyReader);
  serveHealth(router, store, metrics, isStopping);
  serveDocs(router, version);
  serveConsole(router);

  const answer: Handler = (context) => {
    const { method } = context.request;
    if (method !== "HEAD") return router.answer(context, method);
    return andThen(router.answer(context, "GET"), withoutBody);
  };
  const finish = (context: RequestContext, response: Response) => {
    // Whoever would use the connection again might do so just when it is being closed.
    if (isStopping()) response.headers.set("connection", "close");
    if (config.tlsCert !== "") response.headers.set("strict-transport-security", STRICT_TRANSPORT);
    cors?.mark(context.request, response);
    record(parts, context, response.status, performance.now() - context.start);
    return response;
  };
  const fail = (context: RequestContext, error: unknown) => finish(context, problemResponse(context, error));

  const handle = (request: Request, parameter: string, handler: Handler): MaybePromise<Response> => {
    const start = performance.now();
    const requestId = chooseRequestId(request);
    const context: RequestContext = {
      request,
      start,
      requestId,
      route: "",
      responseType: undefined,
      parameter,
      caller: unknownCaller,
      authentication: NO_ENTRY,
      rateLimitHeaders: undefined,
      logAtInfo: false,
      cause: undefined,
    };
    try {
      if (containsSecret(request.url)) throw keyInUrl();
      if (gate.mode === "open" && !hosts.isLocal(request)) throw new ProblemError("wrong-host");
      const response = handler(context);
      if (!(response instanceof Promise)) return finish(context, response);
      concurrency.begin();
      return response.then(
        (answered) => {
          concurrency.end();
          return finish(context, answered);
        },
        (error) => {
          concurrency.end();
          return fail(context, error);
        },
      );
    } catch (error) {
      return fail(context, error);
    }
  };
  const readUser = router.handlerOf(operations.readUser);
  return {
    fetch: (request) => handle(request, "", answer),
    readUser: (request, id) => handle(request, id, readUser),
  };
}

/** For a year. Whether names below this one are served by https is not ours to say. */
const STRICT_TRANSPORT = "max-age=31536000";
const NO_ENTRY = { auth: "key", expiresAt: null } as const;

/** Whether only this machine can reach the service: not where a proxy in front lets others in. */
export function isLoopbackOnly({ host, trustedProxies }: Pick<Config, "host" | "trustedProxies">): boolean {
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
  const level = status >= 500 ? "error" : ms > config.slowMs ? "warn" : context.logAtInfo ? "info" : "debug";
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
    path: redactSecretsInPath(parsePath(request.url)).slice(0, 256),
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
