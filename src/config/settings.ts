import { userLimits } from "../contract/user.ts";
import { parseDatabase } from "./database-url.ts";
import { parseApiKey, parseHost, parseHosts, parseNetworks, parseOrigins, parseRate } from "./parsers.ts";
import { oneOf, type Setting, text, wholeNumber } from "./setting.ts";

/** Every setting. `--help`, docs/configuration.md and shell completion are generated from this table. */
export const settings = {
  port: wholeNumber("PORT", "port", 3000, 0, 65_535, "Port to listen on. 0 picks a free port."),
  host: {
    env: "HOST",
    flag: "host",
    default: "127.0.0.1",
    takes: "an IP address or a host name",
    about: "Address to listen on. On any address but loopback, callers need an API key.",
    parse: parseHost,
  },
  database: {
    env: "DATABASE_URL",
    flag: "database",
    default: "./data/roster.db",
    takes: "a file path, a `sqlite:` URL without parameters, or a `postgres://` URL",
    about: "The database: an SQLite file, created if it does not exist, or a PostgreSQL database.",
    parse: parseDatabase,
  },
  databasePool: wholeNumber(
    "ROSTER_DATABASE_POOL",
    "database-pool",
    10,
    3,
    1000,
    "PostgreSQL: maximum number of connections of this node.",
  ),
  databasePooler: oneOf(
    "ROSTER_DATABASE_POOLER",
    "database-pooler",
    "none",
    ["none", "transaction"],
    "PostgreSQL: set `transaction` behind a pooler in transaction mode, such as PgBouncer.",
  ),
  migrate: oneOf(
    "ROSTER_MIGRATE",
    "migrate",
    "auto",
    ["auto", "off"],
    "`auto` migrates the database schema at startup. With `off`, Roster does not start if migrations are pending.",
  ),
  auth: oneOf(
    "ROSTER_AUTH",
    "auth",
    "auto",
    ["auto", "required", "off"],
    "Who may call. `required`: callers with an API key. `off`: everyone who reaches the port. `auto`: callers on this machine, without a key, while the service listens on loopback, no trusted proxy is set and no key exists; otherwise the same as `required`.",
  ),
  apiKey: {
    env: "ROSTER_API_KEY",
    default: "",
    takes: "an API key created by `roster keys generate`",
    about:
      "An extra API key with every scope, not stored in the database. Has no flag: other users of the machine can read command lines.",
    parse: parseApiKey,
  },
  rateLimit: {
    env: "ROSTER_RATE_LIMIT",
    flag: "rate-limit",
    default: "6000/60",
    takes: "requests/seconds, such as `6000/60`, or `0` for no limit",
    about:
      "Rate limit per API key and node. With `ROSTER_AUTH=off`, per client address. A key can have its own rate limit.",
    parse: parseRate,
  },
  corsOrigins: {
    env: "ROSTER_CORS_ORIGINS",
    flag: "cors-origins",
    default: "",
    takes: "origins such as `https://app.example`, separated by commas",
    about: "Origins whose pages may call from a browser (CORS). Other origins get no CORS headers.",
    parse: parseOrigins,
  },
  hosts: {
    env: "ROSTER_HOSTS",
    flag: "hosts",
    default: "",
    takes: "host names without a port, such as `roster.test`, separated by commas",
    about:
      "More names that requests may have in `Host`. While the service listens on loopback and requires no key, it responds to `localhost`, loopback addresses and these names only.",
    parse: parseHosts,
  },
  trustedProxies: {
    env: "ROSTER_TRUSTED_PROXIES",
    flag: "trusted-proxies",
    default: "",
    takes: "IP addresses or networks such as `10.0.0.0/8`, separated by commas",
    about:
      "Proxies in front of the service. Only their `X-Forwarded-For` and `X-Forwarded-Proto` headers are used.",
    parse: parseNetworks,
  },
  tlsCert: text(
    "ROSTER_TLS_CERT",
    "tls-cert",
    "",
    "the path of a PEM file",
    "TLS certificate, followed by its intermediate certificates. Enables HTTPS.",
  ),
  tlsKey: text(
    "ROSTER_TLS_KEY",
    "tls-key",
    "",
    "the path of a PEM file",
    "Private key of the TLS certificate.",
  ),
  concurrency: wholeNumber(
    "ROSTER_CONCURRENCY",
    "concurrency",
    4096,
    1,
    1_000_000,
    "Maximum number of concurrent requests. Further requests get 503 at once.",
  ),
  logLevel: oneOf(
    "ROSTER_LOG_LEVEL",
    "log-level",
    "info",
    ["debug", "info", "warn", "error"],
    "Lowest level that is logged. `debug` logs every request.",
  ),
  logFormat: oneOf(
    "ROSTER_LOG_FORMAT",
    "log-format",
    "auto",
    ["auto", "json", "text"],
    "`json` writes one JSON object per line. `auto` is `text` on a terminal, `json` elsewhere.",
  ),
  slowMs: wholeNumber(
    "ROSTER_SLOW_MS",
    "slow-ms",
    1000,
    1,
    3_600_000,
    "Requests that take longer than this, in milliseconds, are logged as slow.",
  ),
  bodyLimit: wholeNumber(
    "ROSTER_BODY_LIMIT",
    "body-limit",
    userLimits.bodyBytes,
    1024,
    16_777_216,
    "Maximum size of a request body, in bytes.",
  ),
  recordLimit: wholeNumber(
    "ROSTER_RECORD_LIMIT",
    "record-limit",
    userLimits.recordBytes,
    256,
    1_048_576,
    "Maximum size of a user record, in bytes of JSON.",
  ),
  fieldLimit: wholeNumber(
    "ROSTER_FIELD_LIMIT",
    "field-limit",
    userLimits.recordFields,
    16,
    10_000,
    "Maximum number of fields in a user record, including name and email.",
  ),
  idleTimeout: wholeNumber(
    "ROSTER_IDLE_TIMEOUT",
    "idle-timeout",
    30,
    1,
    255,
    "Seconds before an idle connection is closed, and the time limit for receiving a request body.",
  ),
  databaseWait: wholeNumber(
    "ROSTER_DATABASE_WAIT",
    "database-wait",
    5000,
    10,
    600_000,
    "Milliseconds to wait for the database before responding with 503.",
  ),
  shutdownDelay: wholeNumber(
    "ROSTER_SHUTDOWN_DELAY",
    "shutdown-delay",
    0,
    0,
    3600,
    "Seconds to keep serving after a stop signal. `/readyz` returns 503 during this time, and load balancers stop sending requests.",
  ),
  shutdownGrace: wholeNumber(
    "ROSTER_SHUTDOWN_GRACE",
    "shutdown-grace",
    10,
    0,
    3600,
    "Seconds that pending requests get to finish when the service stops.",
  ),
  commitBatch: wholeNumber(
    "ROSTER_COMMIT_BATCH",
    "commit-batch",
    512,
    1,
    10_000,
    "Maximum number of writes committed in one transaction.",
  ),
  writeQueue: wholeNumber(
    "ROSTER_WRITE_QUEUE",
    "write-queue",
    10_000,
    1,
    1_000_000,
    "Maximum number of writes waiting for a commit. Further writes get 503 at once.",
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Every setting with its name. */
export function listSettings(): [name: string, setting: Setting<unknown>][] {
  return Object.entries(settings);
}
