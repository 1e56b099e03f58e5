import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Config, isLoopback } from "./config/config.ts";
import { ListenError } from "./config/listen-error.ts";
import { version } from "./config/version.ts";
import { KeyRing } from "./domain/key-ring.ts";
import type { RecordRules } from "./domain/record-rules.ts";
import { type App, createApp, type Fetch, isLoopbackOnly } from "./http/app.ts";
import { openStore } from "./store/open-store.ts";
import { createLog, type Log } from "./telemetry/log.ts";
import { Metrics } from "./telemetry/metrics.ts";

/** Where the log goes, and whether a person reads it there. */
export interface Output {
  readonly write: (line: string) => void;
  readonly terminal: boolean;
  readonly colour: boolean;
}

export interface Service {
  readonly url: string;
  /** The service without its socket. */
  readonly fetch: Fetch;
  /** Finishes what is under way, makes it durable, and lets go of everything. */
  stop(): Promise<void>;
}

/** Config to store to app to listening. Whatever prevents it throws an error whose message says what to do. */
export async function startService(config: Config, output: Output): Promise<Service> {
  const text = config.logFormat === "auto" ? output.terminal : config.logFormat === "text";
  const log = createLog({
    level: config.logLevel,
    json: !text,
    colour: output.colour,
    out: output.write,
  });
  const certificate = readCertificate(config);
  const metrics = new Metrics();
  const recordRules: RecordRules = { maxBytes: config.recordLimit };
  const store = await openStore(
    config.database,
    {
      batch: config.commitBatch,
      queue: config.writeQueue,
      waitMs: config.databaseWait,
      recordRules,
      pool: config.databasePool,
      sessions: config.databasePooler === "none",
      migrate: config.migrate === "auto",
    },
    metrics,
  );
  const ring = new KeyRing(store.keys, config.rateLimit, config.apiKey);
  await ring.refresh();
  ring.start(
    (error) => log.write("warn", "the keys could not be looked up", { cause: causeOf(error) }),
    () => log.write("info", "a key exists now", { access: describeAccess(config, ring) }),
  );
  let stopping = false;
  const app = createApp({
    config,
    store,
    recordRules,
    ring,
    metrics,
    log,
    version,
    isStopping: () => stopping,
    peerAddress: (request) => server.requestIP(request)?.address,
    setIdleTimeout: (request, enabled) => server.timeout(request, enabled ? idleSeconds(config) : 0),
  });
  const server = listen(config, certificate, app, log);
  const url = server.url.href.replace(/\/$/, "");
  announce(log, output, text, config, ring, url);

  const stop = async () => {
    stopping = true;
    log.write("info", "stopping", { pendingRequests: server.pendingRequests });
    await Bun.sleep(config.shutdownDelay * 1000);
    await within(config.shutdownGrace * 1000, server.stop());
    await server.stop(true);
    await ring.stop().catch((error: unknown) => {
      log.write("warn", "the last calls could not be counted", { cause: causeOf(error) });
    });
    try {
      await store.close();
    } catch (error) {
      log.write("error", "the database could not be closed", { cause: causeOf(error) });
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

function causeOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function listen(config: Config, certificate: Certificate | undefined, app: App, log: Log) {
  try {
    return Bun.serve({
      ...(certificate && { tls: certificate }),
      port: config.port,
      hostname: config.host,
      idleTimeout: idleSeconds(config),
      // The limit is kept where the answer can say so; this one would only close the connection.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // What is asked for most: Bun matches this path natively, without making a URL of the request.
      routes: { "/api/users/:id": { GET: (request) => app.readUser(request, request.params) } },
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
        `Port ${config.port} is in use: stop the other program, or choose another with PORT or --port (0 takes a free one).`,
      );
    }
    throw new ListenError(
      `Cannot listen on ${config.host} port ${config.port}: choose others with HOST and PORT.`,
    );
  }
}

/** Bun looks every four seconds, and may be as much too early: a body that is late is to be told so first. */
function idleSeconds({ idleTimeout }: Config): number {
  return Math.min(idleTimeout + 5, 255);
}

/** Both in PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** What to serve https by, if so. Fails with a `ListenError` that names the setting, before anything else is done. */
export function readCertificate({
  tlsCert,
  tlsKey,
}: Pick<Config, "tlsCert" | "tlsKey">): Certificate | undefined {
  if (tlsCert === "") return undefined;
  const cert = readPem("ROSTER_TLS_CERT", tlsCert);
  const key = readPem("ROSTER_TLS_KEY", tlsKey);
  const chain = cert.match(/-----BEGIN CERTIFICATE-----[^-]*(-----END CERTIFICATE-----)?/g) ?? [""];
  const [own] = chain.map((pem) =>
    parsed(
      () => new X509Certificate(pem),
      `ROSTER_TLS_CERT: ${tlsCert} is no certificate in PEM, or not a whole one.`,
    ),
  );
  const secret = parsed(
    () => createPrivateKey(key),
    `ROSTER_TLS_KEY: ${tlsKey} is no private key in PEM, or one that takes a passphrase.`,
  );
  if (!own?.checkPrivateKey(secret)) {
    throw new ListenError(
      `ROSTER_TLS_KEY: ${tlsKey} is not the key of the first certificate in ${tlsCert} (ROSTER_TLS_CERT).`,
    );
  }
  return { cert, key };
}

function readPem(setting: string, path: string): string {
  return parsed(
    () => readFileSync(path, "utf8"),
    `${setting}: cannot read ${path}. It takes the path of a PEM file that this user may read.`,
  );
}

function parsed<T>(parse: () => T, otherwise: string): T {
  try {
    return parse();
  } catch {
    throw new ListenError(otherwise);
  }
}

/** A person gets a few lines with where to click; a program one entry like any other. */
function announce(log: Log, output: Output, text: boolean, config: Config, ring: KeyRing, url: string): void {
  const facts = {
    console: url,
    users: `${url}/api/users`,
    docs: `${url}/docs`,
    database: config.database.displayName,
    access: describeAccess(config, ring),
  };
  if (!text || !log.enabled("info")) {
    log.write("info", `Roster ${version} is ready`, facts);
    return;
  }
  const lines = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(10)}${value}\n`);
  output.write(`\nRoster ${version} is ready\n\n${lines.join("")}\nCtrl+C stops it.\n\n`);
}

/** Who may call, and why. */
function describeAccess(config: Config, ring: KeyRing): string {
  const { auth, host, tlsCert, trustedProxies } = config;
  if (auth === "off") return "open to anyone who reaches the port: ROSTER_AUTH=off";
  if (auth === "auto" && isLoopbackOnly(config) && ring.isEmpty) {
    return "open to this machine only: it listens on loopback, and no key exists";
  }
  const why =
    auth === "required"
      ? "ROSTER_AUTH=required"
      : !ring.isEmpty
        ? "keys exist"
        : trustedProxies.any
          ? "ROSTER_TRUSTED_PROXIES names a proxy"
          : `HOST=${host} lets other machines in`;
  const make = !ring.hasActiveKey ? "; there is none in force, make one with: roster keys create" : "";
  const plain = tlsCert === "" && !isLoopback(host) && !trustedProxies.any;
  const warning = plain ? "; keys cross the network unencrypted, unless a proxy adds TLS" : "";
  return `a key is required: ${why}${make}${warning}`;
}

/** What never went over a socket may have no Host: its URL has it. */
function withHost(request: Request): Request {
  if (!request.headers.has("host")) request.headers.set("host", new URL(request.url).host);
  return request;
}

function within(ms: number, work: Promise<void>): Promise<void> {
  return Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, ms).unref())]);
}
