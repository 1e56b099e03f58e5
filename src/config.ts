import { parseArgs } from "node:util";
import { limits } from "./contract/user.ts";
import { DatabaseUrlError, parseDatabase } from "./database-url.ts";

/** A setting that cannot be used; the message is one line that says what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** What a command can be told. Without a default, it has to be. */
interface Flag<T> {
  readonly flag: string;
  readonly env?: string;
  /** As it would be written; the default goes through the same check as what a person writes. */
  readonly default?: string;
  readonly takes: string;
  readonly about: string;
  readonly parse: (text: string) => T;
}

interface Setting<T> extends Flag<T> {
  readonly env: string;
  readonly default: string;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
type Values<T extends Flags> = { readonly [Name in keyof T]: ReturnType<T[Name]["parse"]> };
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting there is. docs/configuration.md and `--help` are made from this table. */
export const settings = {
  port: whole("PORT", "port", 3000, 0, 65_535, "The port to listen on; 0 takes a free one."),
  host: text(
    "HOST",
    "host",
    "127.0.0.1",
    "an address or a name",
    "The address to listen on. Anything but loopback needs `ROSTER_AUTH=off`.",
  ),
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
    ["auto", "off"],
    "Who may call. `auto`: this machine only, and only by a loopback name. `off`: whoever reaches the port.",
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
    limits.bodyBytes,
    1024,
    16_777_216,
    "The largest body of a request, in bytes.",
  ),
  recordLimit: whole(
    "ROSTER_RECORD_LIMIT",
    "record-limit",
    limits.recordBytes,
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
    "Seconds after which a silent connection is closed.",
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

export type Config = Values<typeof settings>;

/** Every setting. Fails with a `ConfigError`. */
export function readConfig(args: readonly string[], env: Environment): Config {
  const config = readFlags(settings, args, env);
  refuseUnsafe(config);
  return config;
}

/** Flags win over the environment, the environment over the defaults. Fails with a `ConfigError`. */
export function readFlags<T extends Flags>(table: T, args: readonly string[], env: Environment): Values<T> {
  const given = parseFlags(table, args);
  const entries = Object.entries(table).map(([name, flag]) => {
    const text = given[flag.flag];
    if (text !== undefined) return [name, check(flag, text, `--${flag.flag}`)];
    return [name, check(flag, (flag.env && env[flag.env]) || flag.default, flag.env ?? `--${flag.flag}`)];
  });
  const values: Values<T> = Object.fromEntries(entries);
  return Object.freeze(values);
}

const BYTE = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const LOOPBACK = new RegExp(`^(([a-z0-9-]+\\.)*localhost|127(\\.${BYTE}){3}|::1|\\[::1\\])$`, "i");

/** Whether only programs on this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function refuseUnsafe({ auth, host }: Config): void {
  if (auth !== "off" && !isLoopback(host)) {
    throw new ConfigError(
      `HOST=${host} would let other machines in, and nothing checks who calls: set ROSTER_AUTH=off if that is meant, or leave HOST out to serve this machine only.`,
    );
  }
}

function parseFlags(table: Flags, args: readonly string[]): Record<string, string | undefined> {
  const options = Object.fromEntries(
    Object.values(table).map(({ flag }) => [flag, { type: "string" as const }]),
  );
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(". ")[0] : String(error);
    throw new ConfigError(`${withoutPassword(reason ?? "")}. See roster --help.`);
  }
}

function check(flag: Flag<unknown>, text: string | undefined, source: string): unknown {
  if (text === undefined) throw new ConfigError(`${source} is missing: it takes ${flag.takes}.`);
  try {
    return flag.parse(text);
  } catch (error) {
    // Where a password is in such a URL cannot be told for certain when something is wrong with it.
    if (error instanceof DatabaseUrlError)
      throw new ConfigError(`${source} cannot be used: ${error.message}.`);
    throw new ConfigError(`${source}=${withoutPassword(text)} cannot be used: it takes ${flag.takes}.`);
  }
}

/** Of anything that looks like a URL. */
export function withoutPassword(text: string): string {
  return text.replace(/(:\/\/[^:@/]*):.*@/s, "$1:…@");
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
    about,
    parse,
  };
}
