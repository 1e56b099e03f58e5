import { type Certificate, readCertificate } from "./config/certificate.ts";
import { type Config, isLoopback } from "./config/config.ts";
import { ListenError } from "./config/listen-error.ts";
import { reachableHost } from "./config/reachable-host.ts";
import { version } from "./config/version.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import { errorText } from "./domain/error-text.ts";
import { isPublicAddress } from "./domain/ip-address.ts";
import type { KeyRing } from "./domain/keys/key-ring.ts";
import type { StoreObserver } from "./domain/store.ts";
import type { RecordRules } from "./domain/users/record-rules.ts";
import { type App, type Fetch, isLoopbackOnly } from "./http/app.ts";
import type { StopPhase } from "./http/request-log.ts";
import { startNode } from "./start-node.ts";
import { openStore } from "./store/open-store.ts";
import { startDescriptorCheck } from "./telemetry/descriptor-check.ts";
import { createLog, type Log, type Paint } from "./telemetry/log.ts";
import { Metrics } from "./telemetry/metrics.ts";
import { MigrationLog } from "./telemetry/migration-log.ts";
import { OutageLog } from "./telemetry/outage-log.ts";
import { createTracer } from "./telemetry/traces/create-tracer.ts";
import { traceDelivery } from "./telemetry/traces/trace-delivery.ts";
import { Sender } from "./webhooks/sender.ts";

/** Where the log is written. */
export interface Output {
  readonly write: (line: string) => void;
  /** Whether a person reads the log: chooses the text format. */
  readonly terminal: boolean;
  readonly paint?: Paint;
}

export interface Service {
  readonly url: string;
  /** The service without its socket. */
  readonly fetch: Fetch;
  /** Finishes running requests, then closes the port and the database. */
  stop(): Promise<void>;
}

/**
 * Opens the store, creates the app and listens. Throws errors whose message says what to do. `warnings` are about the
 * environment, for the log. Only tests replace the clock.
 */
export async function startService(
  config: Config,
  output: Output,
  warnings: readonly string[] = [],
  clock: Clock = systemClock,
): Promise<Service> {
  const isText = config.logFormat === "auto" ? output.terminal : config.logFormat === "text";
  const log = createLog({
    level: config.logLevel,
    json: !isText,
    ...(output.paint && { paint: output.paint }),
    out: output.write,
  });
  for (const warning of warnings) log.write("warn", warning);
  const certificate = readCertificate(config);
  const metrics = new Metrics();
  const outages = new OutageLog(log, config.databaseWait, () => clock.monotonic());
  const observer: StoreObserver = {
    committed(writes, seconds) {
      metrics.committed(writes, seconds);
      outages.committed();
    },
    report: (level, message, fields) => log.write(level, message, fields),
  };
  const migrationLog = new MigrationLog(log, clock);
  const recordRules: RecordRules = { maxBytes: config.recordLimit, maxFields: config.fieldLimit };
  const store = await openStore(
    config.database,
    {
      batch: config.commitBatch,
      queue: config.writeQueue,
      waitMs: config.databaseWait,
      recordRules,
      pool: config.databasePool,
      dedicatedSessions: config.databasePooler === "none",
      migrate: config.migrate === "auto",
      reportMigration: (progress) => migrationLog.show(progress),
      check: true,
      clock,
    },
    observer,
  );
  migrationLog.end();
  const tracer = createTracer(config, version, log);
  const sender = new Sender({
    allowPrivate: config.webhookPrivate === "allow",
    userAgent: `Roster/${version}`,
    keepsResponseOf: config.webhookStoreResponses === "on" ? isPublicAddress : undefined,
    trace: tracer && ((host) => traceDelivery(tracer, host)),
  });
  let stopPhase: StopPhase = "running";
  const node = await startNode({
    config,
    clock,
    store,
    recordRules,
    metrics,
    log,
    outages,
    tracer,
    sender,
    socket: {
      stopPhase: () => stopPhase,
      pendingRequests: () => server.pendingRequests,
      peerAddress: (request) => server.requestIP(request)?.address,
      setIdleTimeout: (request, enabled) => server.timeout(request, enabled ? idleSeconds(config) : 0),
      closeConnection: (request) => server.timeout(request, SHORTEST_TIMEOUT_SECONDS),
    },
    onFirstKey: (known) => log.write("info", "first key created", { access: describeAccess(config, known) }),
  });
  const { app, ring, feed } = node;
  const server = listen(config, certificate, app, log);
  const url = `${server.url.protocol}//${reachableHost(config.host)}:${server.port}`;
  node.startDeliveries(url);
  const endDescriptorCheck = startDescriptorCheck(log);
  announce(log, output, isText, config, ring, url);

  const stop = async () => {
    stopPhase = "stopping";
    log.write("info", "stopping", { pendingRequests: server.pendingRequests });
    await Bun.sleep(config.shutdownDelay * 1000);
    const graceMs = config.shutdownGrace * 1000;
    const delivered = node.stopDeliveries(graceMs);
    await feed.stop();
    await waitAtMost(graceMs, server.stop());
    stopPhase = "aborting";
    endDescriptorCheck();
    await server.stop(true);
    app.flushLog();
    await delivered;
    await tracer?.exporter.stop();
    await node.stopUpkeep().catch((error: unknown) => {
      log.write("warn", "cannot save the usage of keys", { cause: errorText(error) });
    });
    try {
      await store.close();
    } catch (error) {
      log.write("error", "cannot close the database", { cause: errorText(error) });
      throw error;
    }
    log.write("info", "stopped");
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    fetch: (request) => app.fetch(withHost(request)),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** The ciphers of TLS 1.2 with forward secrecy. Every cipher of TLS 1.3 has it. */
const FORWARD_SECRET_CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

function listen(config: Config, certificate: Certificate | undefined, app: App, log: Log) {
  try {
    return Bun.serve({
      ...(certificate && { tls: { ...certificate, ciphers: FORWARD_SECRET_CIPHERS } }),
      port: config.port,
      hostname: config.host,
      idleTimeout: idleSeconds(config),
      // The app limits bodies, with a 413 response. Bun's limit would only close the connection.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // The most frequent requests: Bun matches these paths natively, without creating the URL string.
      routes: {
        "/api/users/:id": { GET: (request) => app.readUser(request, request.params) },
        "/api/groups/:id": { GET: (request) => app.readGroup(request, request.params) },
      },
      fetch: app.fetch,
      error(error) {
        log.write("error", "request failed outside the app", { cause: error.stack ?? error.message });
        return new Response(null, { status: 500 });
      },
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new ListenError(
        `Port ${config.port} is in use. Stop the other program, or choose another port with PORT or --port (0 for any free port).`,
      );
    }
    if (code === "EACCES") {
      throw new ListenError(
        `This user may not listen on port ${config.port}. Choose a port of at least 1024 with PORT or --port, and use a proxy for port ${config.port}.`,
      );
    }
    throw new ListenError(
      `Cannot listen on ${config.host}, port ${config.port}. Choose another address with HOST and PORT.`,
    );
  }
}

/**
 * Closes a connection within four seconds. Bun has no faster way: the end of a response waits until the caller has read what was
 * sent before it.
 */
const SHORTEST_TIMEOUT_SECONDS = 1;

/**
 * Bun checks idle connections every four seconds, and may close them that much too early. Five more seconds let a
 * timed-out body get its 408 response first.
 */
function idleSeconds({ idleTimeout }: Config): number {
  return Math.min(idleTimeout + 5, 255);
}

/** Announces the start: in text format as a few lines with URLs, in JSON format as a log entry. */
function announce(
  log: Log,
  output: Output,
  isText: boolean,
  config: Config,
  ring: KeyRing,
  url: string,
): void {
  const facts = {
    console: url,
    users: `${url}/api/users`,
    docs: `${url}/docs`,
    database: config.database.displayName,
    access: describeAccess(config, ring),
  };
  if (!isText || !log.enabled("info")) {
    log.write("info", `Roster ${version} is ready`, facts);
    return;
  }
  const lines = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(10)}${value}\n`);
  output.write(`\nRoster ${version} is ready\n\n${lines.join("")}\nPress Ctrl+C to stop.\n\n`);
}

/** Who can call the service, and why, for the log. */
function describeAccess(config: Config, ring: KeyRing): string {
  const { auth, host, tlsCert, trustedProxies } = config;
  if (auth === "off") return "open to anyone who can reach the port: ROSTER_AUTH=off";
  if (auth === "auto" && isLoopbackOnly(config) && ring.isEmpty) {
    return "open to this machine only: the service listens on loopback, and no key exists";
  }
  const reason =
    auth === "required"
      ? "ROSTER_AUTH=required"
      : !ring.isEmpty
        ? "keys exist"
        : trustedProxies.any
          ? "ROSTER_TRUSTED_PROXIES names a proxy"
          : `HOST=${host} lets other machines in`;
  const advice = !ring.hasActiveKey ? "; no key is active, create one with: roster keys create" : "";
  const isUnencrypted = tlsCert === "" && !isLoopback(host) && !trustedProxies.any;
  const warning = isUnencrypted ? "; keys cross the network unencrypted, unless a proxy adds TLS" : "";
  return `a key is required: ${reason}${advice}${warning}`;
}

/** A request that did not come over a socket may have no Host header. Sets it from the URL. */
function withHost(request: Request): Request {
  if (!request.headers.has("host")) request.headers.set("host", new URL(request.url).host);
  return request;
}

function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  return Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, ms).unref())]);
}
