import { BlockList, isIP } from "node:net";
import { keyLimits, type RateLimit } from "../contract/key.ts";
import { isSecret } from "../contract/key-secret.ts";
import { userLimits } from "../contract/user.ts";
import { parseDatabase } from "./database-url.ts";

/** What a command can be told. Without a default, it has to be. */
export interface Flag<T> {
  /** Left out for what is secret: the command line is for all to see. */
  readonly flag?: string;
  /**
   * How it is given, unless as a name and a value. `list`: as often as one likes, or once with commas between. `switch`:
   * the name alone, which says `true`. `word`: the value alone, by its place. `words`: all words after those, which come
   * with U+0000 between.
   */
  readonly form?: "list" | "switch" | "word" | "words";
  readonly env?: string;
  /** As it would be written; the default goes through the same check as what a person writes. */
  readonly default?: string;
  readonly takes: string;
  /** Every value that it takes, where these are few; shells offer them. */
  readonly choices?: readonly string[];
  readonly about: string;
  readonly parse: (text: string) => T;
}

interface Setting<T> extends Flag<T> {
  readonly env: string;
  readonly default: string;
}

/** Every setting there is. docs/configuration.md and `--help` are made from this table. */
export const settings = {
  port: whole("PORT", "port", 3000, 0, 65_535, "The port to listen on; 0 takes a free one."),
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
  databasePool: whole(
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
  concurrency: whole(
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
  slowMs: whole(
    "ROSTER_SLOW_MS",
    "slow-ms",
    1000,
    1,
    3_600_000,
    "Requests that take longer than this many milliseconds are logged as slow.",
  ),
  bodyLimit: whole(
    "ROSTER_BODY_LIMIT",
    "body-limit",
    userLimits.bodyBytes,
    1024,
    16_777_216,
    "The largest body of a request, in bytes.",
  ),
  recordLimit: whole(
    "ROSTER_RECORD_LIMIT",
    "record-limit",
    userLimits.recordBytes,
    256,
    1_048_576,
    "The largest user record, in bytes of JSON.",
  ),
  idleTimeout: whole(
    "ROSTER_IDLE_TIMEOUT",
    "idle-timeout",
    30,
    1,
    255,
    "Seconds that the body of a request may take to come, and after which a silent connection is closed.",
  ),
  databaseWait: whole(
    "ROSTER_DATABASE_WAIT",
    "database-wait",
    5000,
    10,
    600_000,
    "Milliseconds to wait for the database before answering 503.",
  ),
  shutdownDelay: whole(
    "ROSTER_SHUTDOWN_DELAY",
    "shutdown-delay",
    0,
    0,
    3600,
    "Seconds to go on serving when told to stop, while `/readyz` answers 503 and load balancers look elsewhere.",
  ),
  shutdownGrace: whole(
    "ROSTER_SHUTDOWN_GRACE",
    "shutdown-grace",
    10,
    0,
    3600,
    "Seconds that requests under way get to finish when the service stops.",
  ),
  commitBatch: whole(
    "ROSTER_COMMIT_BATCH",
    "commit-batch",
    512,
    1,
    10_000,
    "The most writes committed in one transaction.",
  ),
  writeQueue: whole(
    "ROSTER_WRITE_QUEUE",
    "write-queue",
    10_000,
    1,
    1_000_000,
    "The most writes that may wait to be committed; past that, 503 at once.",
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Each with its name, for whoever goes through them all. */
export function eachSetting(): [name: string, setting: Setting<unknown>][] {
  return Object.entries(settings);
}

function parseHost(text: string): string {
  if (!/^[\w.:%[\]-]+$/.test(text)) throw new RangeError(text);
  return text;
}

function parseApiKey(text: string): string | undefined {
  if (text === "") return undefined;
  if (!isSecret(text)) throw new RangeError("no key");
  return text;
}

/** Requests / seconds, as it is written on the command line; undefined for no limit. */
export function parseRate(text: string): RateLimit | undefined {
  if (text === "0") return undefined;
  const [, requests, seconds] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? [];
  const fits = (value: number | undefined, most: number) =>
    value !== undefined && value >= 1 && value <= most;
  if (!requests || !seconds || !fits(requests, keyLimits.requests) || !fits(seconds, keyLimits.seconds)) {
    throw new RangeError(text);
  }
  return { requests, seconds };
}

function parseOrigins(text: string): string[] {
  return parts(text).map((origin) => {
    if (!/^https?:/.test(origin) || new URL(origin).origin !== origin) throw new RangeError(origin);
    return origin;
  });
}

interface Networks {
  readonly list: BlockList;
  readonly any: boolean;
}

function parseNetworks(text: string): Networks {
  const list = new BlockList();
  const networks = parts(text);
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const length = bits === undefined ? most : Number(bits);
    if (version === 0 || !/^\d{1,3}$/.test(bits ?? "0") || length > most) throw new RangeError(network);
    list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
  }
  return { list, any: networks.length > 0 };
}

function parts(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function whole(
  env: string,
  flag: string,
  standard: number,
  low: number,
  high: number,
  about: string,
): Setting<number> {
  const parse = (text: string) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= low && value <= high)) throw new RangeError(text);
    return value;
  };
  return {
    env,
    flag,
    default: String(standard),
    takes: `a whole number from ${low} to ${high}`,
    about,
    parse,
  };
}

function text(env: string, flag: string, standard: string, takes: string, about: string): Setting<string> {
  return { env, flag, default: standard, takes, about, parse: (value) => value };
}

function oneOf<const T extends string>(
  env: string,
  flag: string,
  standard: T,
  choices: readonly T[],
  about: string,
): Setting<T> {
  const parse = (text: string) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new RangeError(text);
    return choice;
  };
  return {
    env,
    flag,
    default: standard,
    takes: choices.map((choice) => `\`${choice}\``).join(", "),
    choices,
    about,
    parse,
  };
}
