import { userLimits } from "../contract/user.ts";
import { parseDatabase } from "./database-url.ts";
import { parseApiKey, parseHost, parseNetworks, parseOrigins, parseRate } from "./parsers.ts";
import { oneOf, type Setting, text, wholeNumber } from "./setting.ts";

/** Every setting. `--help`, docs/configuration.md and shell completion are generated from this table. */
export const settings = {
  port: wholeNumber("PORT", "port", 3000, 0, 65_535, "The port to listen on; 0 takes a free one."),
  host: {
    env: "HOST",
    flag: "host",
    default: "127.0.0.1",
    takes: "an address or a name",
    about: "The address to listen on. Anything but loopback makes callers show a key.",
    parse: parseHost,
  },
  database: {
    env: "DATABASE_URL",
    flag: "database",
    default: "./data/roster.db",
    takes: "the path of a file, a `sqlite:` URL without parameters, or a `postgres://` URL",
    about: "Where the users are kept: an SQLite file, made if there is none, or a PostgreSQL database.",
    parse: parseDatabase,
  },
  databasePool: wholeNumber(
    "ROSTER_DATABASE_POOL",
    "database-pool",
    10,
    3,
    1000,
    "PostgreSQL: the most connections that this node opens.",
  ),
  databasePooler: oneOf(
    "ROSTER_DATABASE_POOLER",
    "database-pooler",
    "none",
    ["none", "transaction"],
    "PostgreSQL: `transaction` behind a pooler that lends a session for one transaction, such as PgBouncer.",
  ),
  migrate: oneOf(
    "ROSTER_MIGRATE",
    "migrate",
    "auto",
    ["auto", "off"],
    "`auto` brings the database's schema up to date at the start; `off` refuses one that is behind.",
  ),
  auth: oneOf(
    "ROSTER_AUTH",
    "auth",
    "auto",
    ["auto", "required", "off"],
    "Who may call. `required`: whoever has a key. `off`: whoever reaches the port. `auto`: this machine without a key, as long as the service listens on loopback, no proxy is named and no key exists; else `required`.",
  ),
  apiKey: {
    env: "ROSTER_API_KEY",
    default: "",
    takes: "a key as `roster keys generate` makes one",
    about:
      "One more key, with every scope, that is in no database. Never a flag: the command line is for all to see.",
    parse: parseApiKey,
  },
  rateLimit: {
    env: "ROSTER_RATE_LIMIT",
    flag: "rate-limit",
    default: "6000/60",
    takes: "requests / seconds, such as `6000/60`, or `0` for none",
    about:
      "How many requests each key may send in how many seconds, on each node; an address, where `ROSTER_AUTH=off`. A key may have a rate of its own.",
    parse: parseRate,
  },
  corsOrigins: {
    env: "ROSTER_CORS_ORIGINS",
    flag: "cors-origins",
    default: "",
    takes: "origins such as `https://app.example`, with commas between",
    about: "Whose pages may call from a browser. No answer carries CORS headers for any other.",
    parse: parseOrigins,
  },
  trustedProxies: {
    env: "ROSTER_TRUSTED_PROXIES",
    flag: "trusted-proxies",
    default: "",
    takes: "addresses or networks such as `10.0.0.0/8`, with commas between",
    about: "The proxies in front, whose `X-Forwarded-For` and `X-Forwarded-Proto` count.",
    parse: parseNetworks,
  },
  tlsCert: text(
    "ROSTER_TLS_CERT",
    "tls-cert",
    "",
    "the path of a PEM file",
    "The certificate, with those that vouch for it, to serve https by.",
  ),
  tlsKey: text("ROSTER_TLS_KEY", "tls-key", "", "the path of a PEM file", "The certificate's private key."),
  concurrency: wholeNumber(
    "ROSTER_CONCURRENCY",
    "concurrency",
    4096,
    1,
    1_000_000,
    "The most requests that are worked on at once; past that, 503 at once.",
  ),
  logLevel: oneOf(
    "ROSTER_LOG_LEVEL",
    "log-level",
    "info",
    ["debug", "info", "warn", "error"],
    "How much is logged; `debug` logs every request.",
  ),
  logFormat: oneOf(
    "ROSTER_LOG_FORMAT",
    "log-format",
    "auto",
    ["auto", "json", "text"],
    "`auto` is text on a terminal and one JSON object a line elsewhere.",
  ),
  slowMs: wholeNumber(
    "ROSTER_SLOW_MS",
    "slow-ms",
    1000,
    1,
    3_600_000,
    "Requests that take longer than this many milliseconds are logged as slow.",
  ),
  bodyLimit: wholeNumber(
    "ROSTER_BODY_LIMIT",
    "body-limit",
    userLimits.bodyBytes,
    1024,
    16_777_216,
    "The largest body of a request, in bytes.",
  ),
  recordLimit: wholeNumber(
    "ROSTER_RECORD_LIMIT",
    "record-limit",
    userLimits.recordBytes,
    256,
    1_048_576,
    "The largest user record, in bytes of JSON.",
  ),
  idleTimeout: wholeNumber(
    "ROSTER_IDLE_TIMEOUT",
    "idle-timeout",
    30,
    1,
    255,
    "Seconds that the body of a request may take to come, and after which a silent connection is closed.",
  ),
  databaseWait: wholeNumber(
    "ROSTER_DATABASE_WAIT",
    "database-wait",
    5000,
    10,
    600_000,
    "Milliseconds to wait for the database before answering 503.",
  ),
  shutdownDelay: wholeNumber(
    "ROSTER_SHUTDOWN_DELAY",
    "shutdown-delay",
    0,
    0,
    3600,
    "Seconds to go on serving when told to stop, while `/readyz` answers 503 and load balancers look elsewhere.",
  ),
  shutdownGrace: wholeNumber(
    "ROSTER_SHUTDOWN_GRACE",
    "shutdown-grace",
    10,
    0,
    3600,
    "Seconds that requests under way get to finish when the service stops.",
  ),
  commitBatch: wholeNumber(
    "ROSTER_COMMIT_BATCH",
    "commit-batch",
    512,
    1,
    10_000,
    "The most writes committed in one transaction.",
  ),
  writeQueue: wholeNumber(
    "ROSTER_WRITE_QUEUE",
    "write-queue",
    10_000,
    1,
    1_000_000,
    "The most writes that may wait to be committed; past that, 503 at once.",
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Every setting with its name. */
export function listSettings(): [name: string, setting: Setting<unknown>][] {
  return Object.entries(settings);
}
