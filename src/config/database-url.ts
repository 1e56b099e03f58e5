import { readFileSync } from "node:fs";

/** Where the users are kept, as DATABASE_URL says it. */
export type Database = SqliteDatabase | PostgresDatabase;

interface SqliteDatabase {
  readonly engine: "sqlite";
  readonly path: string;
  /** For people to read. */
  readonly displayName: string;
}

export interface PostgresDatabase {
  readonly engine: "postgres";
  /** One URL for every host, in the order in which they are tried; each has the password in it. */
  readonly urls: readonly [string, ...string[]];
  /** Which database, for a driver that takes PGDATABASE over what the URL says. */
  readonly name: string;
  /** Whether the first that answers will do, or only one that takes writes. */
  readonly readWrite: boolean;
  readonly tls: Tls | undefined;
  /** For people to read: no password. */
  readonly displayName: string;
}

interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What is wrong with a URL, to end the sentence "cannot be used: ". */
export class DatabaseUrlError extends Error {
  override readonly name = "DatabaseUrlError";
}

/** Fails with a `DatabaseUrlError`, or a `RangeError` for what is no such text at all. */
export function parseDatabase(text: string): Database {
  if (/^postgres(ql)?:/i.test(text)) return parsePostgres(text);
  const path = parsePath(text);
  return { engine: "sqlite", path, displayName: path };
}

/** `data/roster.db`, `sqlite:data/roster.db` and `sqlite:///var/lib/roster.db` all name a file. */
function parsePath(text: string): string {
  const url = /^([a-z][a-z0-9+.-]+):(\/\/)?(.*)$/is.exec(text);
  const path = url ? (url[3] ?? "") : text;
  if (url && (!/^(sqlite|file)$/i.test(url[1] ?? "") || /[?#]/.test(path))) throw new RangeError(text);
  if (["", ":memory:"].includes(path.trim())) throw new RangeError(text);
  return path;
}

const POSTGRES =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#\s]*)(?::(?<password>[^@/?#\s]*))?@)?(?<hosts>[^@/?#\s]*)(?:\/(?<name>[^@/?#\s]*))?(?:\?(?<options>[^@#\s]*))?$/i;
const HOST = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+|%2f[^:]*)?(?::(?<port>\d{1,5}))?$/i;
const SHAPE = "it takes postgres://user:password@host:port/database, with special characters percent-encoded";

/** The options that libpq knows and a node can honour. Any other is refused: one that is left out could weaken TLS. */
const options = [
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "target_session_attrs",
  "application_name",
  "channel_binding",
  "host",
] as const;
type Option = (typeof options)[number];

/** What is quoted of the text in an error is never what could be a password, even in the wrong place. */
function parsePostgres(text: string): PostgresDatabase {
  const parts = POSTGRES.exec(text)?.groups;
  if (!parts) throw new DatabaseUrlError(SHAPE);
  const given = parseOptions(parts.options ?? "");
  const { password, hosts = "" } = parts;
  const user = parts.user || "postgres";
  const name = parts.name || user;
  for (const part of [user, password, hosts]) decode(part ?? "");
  const secret = password === undefined ? "" : `:${password}`;
  const passed = new URLSearchParams({
    sslmode: tlsMode(given),
    application_name: given.get("application_name") ?? "roster",
  });
  const binding = given.get("channel_binding");
  if (binding !== undefined) passed.set("channel_binding", binding);
  const list = hosts.split(",").map((one) => parseHost(one, given.get("host")));
  const target = given.get("target_session_attrs") ?? (list.length > 1 ? "read-write" : "any");
  const [first, ...others] = list.map((host) => `postgres://${user}${secret}@${host}/${name}?${passed}`);
  if (first === undefined) throw new DatabaseUrlError("it names no host");
  return {
    engine: "postgres",
    urls: [first, ...others],
    name: decode(name),
    readWrite: target !== "any",
    tls: readTls(given),
    displayName: `postgres://${user}@${list.join(",")}/${name}`,
  };
}

/** `other` is what the option `host` says: a name, or the folder of a socket. */
function parseHost(text: string, other: string | undefined): string {
  const parts = HOST.exec(text)?.groups;
  const host = other?.startsWith("/") ? encodeURIComponent(other) : (other ?? parts?.host ?? "localhost");
  const port = Number(parts?.port ?? 5432);
  if (!parts || !HOST.test(`${host}:${port}`) || port < 1 || port > 65_535) {
    throw new DatabaseUrlError("a host is a name or an address, with :port after it or without");
  }
  return `${host}:${port}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlError(SHAPE);
  }
}

function parseOptions(text: string): Map<Option, string> {
  const given = new Map<Option, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    const option = options.find((known) => known === name);
    if (!option)
      throw new DatabaseUrlError(`the URL has the option ${name}, and may have ${options.join(", ")}`);
    given.set(option, value);
  }
  check(given.get("sslmode"), "sslmode", ["disable", "prefer", "require", "verify-ca", "verify-full"]);
  check(given.get("target_session_attrs"), "target_session_attrs", ["any", "read-write", "primary"]);
  check(given.get("channel_binding"), "channel_binding", ["disable", "prefer", "require"]);
  return given;
}

function check(value: string | undefined, name: string, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value)) {
    throw new DatabaseUrlError(`${name} takes ${choices.join(", ")}`);
  }
}

/** As libpq has it, but for `prefer`: where an authority is named, nothing goes on without its signature. */
function tlsMode(given: ReadonlyMap<Option, string>): string {
  const mode = given.get("sslmode");
  const authority = given.get("sslrootcert");
  if (authority === undefined || mode === "disable") return mode ?? "prefer";
  if (authority !== "system") return mode === "verify-full" ? mode : "verify-ca";
  check(mode, "sslmode beside sslrootcert=system", ["verify-full"]);
  return "verify-full";
}

function readTls(given: ReadonlyMap<Option, string>): Tls | undefined {
  const [ca, cert, key] = [given.get("sslrootcert"), given.get("sslcert"), given.get("sslkey")];
  if ((cert === undefined) !== (key === undefined)) {
    throw new DatabaseUrlError("sslcert and sslkey are of use together only");
  }
  if (given.get("sslmode") === "disable") return undefined;
  const authority = ca !== undefined && ca !== "system" && { ca: readFile(ca) };
  const own = cert !== undefined && key !== undefined && { cert: readFile(cert), key: readFile(key) };
  return authority || own ? { ...authority, ...own } : undefined;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new DatabaseUrlError(`the file ${path} cannot be read`);
  }
}
