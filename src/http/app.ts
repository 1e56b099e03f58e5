import { type Config, isLoopback } from "../config/config.ts";
import { containsSecret } from "../contract/keys/key-secret.ts";
import type { Operation } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { problems } from "../contract/problems.ts";
import { Bulk } from "../domain/bulk/bulk.ts";
import { importExportGroups } from "../domain/bulk/import-groups.ts";
import { ImportRunner } from "../domain/bulk/import-runner.ts";
import { importExportUsers } from "../domain/bulk/import-users.ts";
import { CONCURRENT_CHUNKS } from "../domain/bulk/imports.ts";
import { Memberships } from "../domain/bulk/memberships.ts";
import type { Clock } from "../domain/clock.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import { Events } from "../domain/events/events.ts";
import { Groups } from "../domain/groups/groups.ts";
import { Members } from "../domain/groups/members.ts";
import { RunningKeys } from "../domain/idempotency-key.ts";
import type { KeyRing } from "../domain/keys/key-ring.ts";
import { Keys } from "../domain/keys/keys.ts";
import { Sessions } from "../domain/keys/sessions.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import { Semaphore } from "../domain/scheduling/semaphore.ts";
import { Schemas } from "../domain/schema/schemas.ts";
import type { Store } from "../domain/store.ts";
import { DeletedUsers } from "../domain/users/deleted-users.ts";
import { Fields } from "../domain/users/fields.ts";
import type { RecordRules } from "../domain/users/record-rules.ts";
import { UserStats } from "../domain/users/stats.ts";
import { Users } from "../domain/users/users.ts";
import { Deliveries, type RebuildRequest, type SendSample } from "../domain/webhooks/deliveries.ts";
import { Webhooks } from "../domain/webhooks/webhooks.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { OutageLog } from "../telemetry/outage-log.ts";
import type { Tracer } from "../telemetry/traces/tracer.ts";
import { ClientAddress } from "./access/client-address.ts";
import { Cors } from "./access/cors.ts";
import { FailureLog } from "./access/failure-log.ts";
import { Gate } from "./access/gate.ts";
import { HostCheck } from "./access/host-check.ts";
import { OriginCheck } from "./access/origin-check.ts";
import { PublicUrl } from "./access/public-url.ts";
import { serveAccessTokens } from "./access-tokens.ts";
import { BodyReader } from "./body-reader.ts";
import { serveBulk } from "./bulk.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { serveConsole } from "./console.ts";
import { serveDeletedUsers } from "./deleted-users.ts";
import { serveDeliveries } from "./deliveries.ts";
import { serveDocs } from "./docs.ts";
import { serveEvents } from "./events.ts";
import { serveFields } from "./fields.ts";
import { serveGroups } from "./groups.ts";
import { serveHealth } from "./health.ts";
import { serveKeys } from "./keys.ts";
import { Links } from "./links.ts";
import { serveMembers } from "./members.ts";
import { serveMemberships } from "./memberships.ts";
import { problemResponse } from "./problem-response.ts";
import { createContext, type Handler, parsePath, type RequestContext } from "./request-context.ts";
import { RequestLog, type StopPhase } from "./request-log.ts";
import { endSpan } from "./request-span.ts";
import { NO_PARAMETERS, type PathParameters } from "./route-table.ts";
import { Router } from "./router.ts";
import { serveSchema } from "./schema.ts";
import { serveScim } from "./scim/scim.ts";
import { serveSession } from "./session.ts";
import { serveStats } from "./stats.ts";
import { StreamPlaces } from "./streams/stream-places.ts";
import { Streams } from "./streams/streams.ts";
import { serveUsers } from "./users.ts";
import { serveWebhooks } from "./webhooks.ts";

export interface AppParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly store: Store;
  readonly recordRules: RecordRules;
  readonly ring: KeyRing;
  readonly feed: EventFeed;
  readonly metrics: Metrics;
  readonly sendSample: SendSample;
  readonly rebuildRequest: RebuildRequest;
  readonly log: Log;
  /** Undefined if traces are not exported. */
  readonly tracer?: Tracer | undefined;
  readonly version: string;
  readonly outages: OutageLog;
  readonly stopPhase: () => StopPhase;
  /** Number of requests that have no complete response yet. */
  readonly pendingRequests: () => number;
  /** The remote address of a request's connection; undefined if the request has no connection. */
  readonly peerAddress: (request: Request) => string | undefined;
  /** Turns the idle timeout of a request's connection on or off. */
  readonly setIdleTimeout: (request: Request, enabled: boolean) => void;
  /** Closes a request's connection, with a response that the caller does not read. */
  readonly closeConnection: (request: Request) => void;
}

export type Fetch = (request: Request) => MaybePromise<Response>;

/** Serves GET of a record by its id, for a server that has already matched the method, and the path except the id. */
type ReadById = (request: Request, parameters: { readonly id: string }) => MaybePromise<Response>;

/** The service without its socket. */
export interface App {
  readonly fetch: Fetch;
  readonly readUser: ReadById;
  readonly readGroup: ReadById;
  /** Writes what is still to be logged, before the service stops. */
  readonly flushLog: () => void;
}

export function createApp(parts: AppParts): App {
  const { config, clock, store, ring, feed, metrics, tracer, version } = parts;
  const isStopping = () => parts.stopPhase() !== "running";
  const addresses = new ClientAddress(config.trustedProxies.list, parts.peerAddress);
  const sessions = new Sessions(store.keys, clock);
  const origins = new OriginCheck(config.corsOrigins, addresses);
  const failureLog = new FailureLog(parts.log, clock);
  const { auth, rateLimit } = config;
  const local = isLoopbackOnly(config);
  const gate = new Gate({ auth, local, rateLimit, clock, ring, sessions, addresses, origins, failureLog });
  const { limits } = gate;
  const hosts = new HostCheck(config.hosts);
  const rejectOtherHosts = ({ request, hasHost, url }: RequestContext) => {
    const { mode } = gate;
    if (mode === "required" || (mode === "off" && !isLoopback(config.host))) return;
    // HTTP/1.0 requests may have no Host. Browsers always send one.
    const isAllowed = hasHost ? hosts.isLocal(request) : mode === "off" || healthChecks.has(parsePath(url));
    if (!isAllowed) throw new ProblemError("wrong-host");
  };
  const cors = config.corsOrigins.length > 0 ? new Cors(config.corsOrigins) : undefined;
  const concurrency = new ConcurrencyLimit(config.concurrency);
  const requestLog = new RequestLog({ ...parts, slowMs: config.slowMs });
  const router = new Router({
    admit(context, operation) {
      if (operation.tag !== "service") concurrency.requireCapacity();
      const admitted = gate.admit(context, operation);
      if (context.url.length <= QUICK_URL_CHARACTERS) return admitted;
      return andThen(admitted, () => loopShare.nextTurn({ owner: limits.findOwner(context), alone: true }));
    },
    readBody: (context) => bodyReader.read(context),
    setIdleTimeout: parts.setIdleTimeout,
    renderProblem: problemResponse,
  });
  const running = new RunningKeys();
  const keepsDeleted = config.deletedDays > 0;
  const users = new Users(store, parts.recordRules, running, keepsDeleted);
  const chunkSlots = new Semaphore(CONCURRENT_CHUNKS);
  const runner = new ImportRunner(running, chunkSlots);
  const bulk = new Bulk(store, running, keepsDeleted, chunkSlots);
  const streams = new Streams({
    places: new StreamPlaces(config.idleTimeout * 1000, metrics.bulk, clock),
    limits,
    closeConnection: parts.closeConnection,
    onStreamError: (context, error) => requestLog.writeStreamError(context, error),
  });
  const bodyReader = new BodyReader(config.bodyLimit, config.idleTimeout * 1000, concurrency, clock, limits);
  const links = new Links(new PublicUrl(config.publicUrl, addresses, parts.log));
  const recordParts = { bodyReader, links, feed, limits };
  serveUsers(router, users, recordParts);
  const groups = new Groups(store.groups, parts.recordRules, running);
  serveGroups(router, groups, recordParts);
  serveMembers(router, { users, groups, members: new Members(store) }, recordParts);
  serveDeletedUsers(router, new DeletedUsers(store.deletedUsers), links, feed);
  const importExportParts = { streams, bodyReader, feed, limits };
  serveBulk(router, {
    ...importExportParts,
    bulk,
    users: importExportUsers(store, runner),
    groups: importExportGroups(store.groups, runner),
  });
  serveMemberships(router, new Memberships(store, runner), importExportParts);
  serveFields(router, new Fields(store.users), links, limits);
  serveStats(router, new UserStats(store.statistics, clock));
  const schemas = new Schemas(store.schema, async () => (await store.stats()).users);
  serveSchema(router, { schemas, streams, bodyReader, links, limits });
  serveEvents(router, {
    events: new Events(store.events),
    feed,
    streams,
    links,
    patienceMs: config.idleTimeout * 1000,
    clock,
    metrics: metrics.followers,
    limits,
    isStillAdmitted: (context) => gate.isStillAdmitted(context),
    setIdleTimeout: parts.setIdleTimeout,
    closeConnection: parts.closeConnection,
    releaseWhile: (waiting) => concurrency.releaseWhile(waiting),
  });
  const webhooks = new Webhooks(store.webhooks, config.webhookPrivate === "allow", clock);
  serveWebhooks(router, webhooks, links);
  serveDeliveries(router, {
    deliveries: new Deliveries({
      webhooks: store.webhooks,
      deliveries: store.deliveries,
      sendSample: parts.sendSample,
      rebuildRequest: parts.rebuildRequest,
      storesResponses: config.webhookStoreResponses === "on",
      clock,
    }),
    links,
    releaseWhile: (waiting) => concurrency.releaseWhile(waiting),
  });
  serveKeys(router, new Keys(store.keys, ring, clock), links);
  serveSession(router, gate, sessions, addresses, origins, clock, config.deletedDays);
  serveAccessTokens(router, { gate, sessions, origins, bodyReader, clock });
  serveHealth(router, {
    store,
    metrics,
    build: { version, engine: config.database.engine },
    maxEventBytes: config.eventsBytes || undefined,
    isStopping,
    pendingRequests: parts.pendingRequests,
  });
  serveDocs(router, version, schemas, (context) => gate.mayReadUsers(context));
  if (config.scim === "on") {
    serveScim(router, {
      ...{ users, groups, memberships: store.groups, userNames: store.users, schemas },
      ...{ bodyReader, links, limits, streams, clock },
      isStillAdmitted: (context) => gate.isStillAdmitted(context),
      mayReadUsers: (context) => gate.mayReadUsers(context),
    });
  }
  serveConsole(router);

  const finish = (context: RequestContext, response: Response) => {
    // A client that reuses the connection could send its next request just as the service closes it. A client of
    // HTTP/1.0 waits for the end of the connection.
    if (isStopping() || !context.hasHost) response.headers.set("connection", "close");
    // Bun adds Date to other responses.
    if (context.request.method === "HEAD") response.headers.set("date", new Date().toUTCString());
    if (config.tlsCert !== "") response.headers.set("strict-transport-security", STRICT_TRANSPORT_SECURITY);
    cors?.addHeaders(context.request, response);
    if (context.span) endSpan(context, context.span, response);
    requestLog.record(context, response.status, clock.monotonic() - context.start);
    return response;
  };
  const fail = (context: RequestContext, error: unknown) => {
    // Other errors are defects: the response says nothing about them.
    const problem = error instanceof ProblemError ? error : new ProblemError("internal");
    if (problems[problem.type].status >= 500) context.cause = error;
    return finish(context, router.renderProblem(context, problem));
  };

  // The URL contains the Host. Neither the log nor the response quotes it.
  const rejectInvalidHost = (request: Request) =>
    fail(
      createContext(request, NO_PARAMETERS, clock.monotonic(), "http://localhost/"),
      new ProblemError("invalid-header", "Send one Host header, with a valid host name."),
    );

  const handle = (request: Request, parameters: PathParameters, handler: Handler): MaybePromise<Response> => {
    if (!hosts.isValid(request)) return rejectInvalidHost(request);
    const span = tracer?.startServerSpan(request);
    const context = createContext(request, parameters, clock.monotonic(), request.url, span);
    try {
      if (containsSecret(context.url)) throw keyInUrl();
      rejectOtherHosts(context);
      const response = handler(context);
      if (!(response instanceof Promise)) return finish(context, response);
      concurrency.begin();
      return response.then(
        (resolved) => {
          concurrency.end();
          return finish(context, resolved);
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
  const dispatch: Handler = (context) => router.dispatch(context);
  const createReadById = (operation: Operation): ReadById => {
    const read = router.getHandler(operation);
    return (request, parameters) =>
      handle(request, parameters, startsWithLetter(parameters.id) ? dispatch : read);
  };
  return {
    fetch: (request) => handle(request, NO_PARAMETERS, dispatch),
    readUser: createReadById(operations.readUser),
    readGroup: createReadById(operations.readGroup),
    flushLog() {
      failureLog.flush();
      parts.outages.flush();
    },
  };
}

/** Paths such as `/api/users/export` do, and ids do not. */
function startsWithLetter(text: string): boolean {
  const code = text.charCodeAt(0) | 0x20;
  return code >= 0x61 && code <= 0x7a;
}

/** The paths that need no Host. */
const healthChecks = new Set<string>([operations.health.path, operations.ready.path]);

/** Callers with longer URLs take turns: parsing and checking what is in them can take milliseconds. */
const QUICK_URL_CHARACTERS = 1000;

/** One year. Subdomains are not included: other services may use them. */
const STRICT_TRANSPORT_SECURITY = "max-age=31536000";

/** Whether only this machine can reach the service. A proxy in front lets other machines in. */
export function isLoopbackOnly({ host, trustedProxies }: Pick<Config, "host" | "trustedProxies">): boolean {
  return isLoopback(host) && !trustedProxies.any;
}

function keyInUrl(): ProblemError {
  return new ProblemError(
    "invalid-query",
    "Never put a key in a URL: logs and browser histories store URLs. Replace this key, and send keys as Authorization: Bearer.",
  );
}
