import { readFileSync } from "node:fs";

/** A parsed DATABASE_URL. */
export type Database = SqliteDatabase | PostgresDatabase;

interface SqliteDatabase {
  readonly engine: "sqlite";
  readonly path: string;
  readonly displayName: string;
}

export interface PostgresDatabase {
  readonly engine: "postgres";
  /** One URL per host, with the password, in the order in which hosts are tried. */
  readonly urls: readonly [string, ...string[]];
  /** The database name, for drivers that prefer PGDATABASE over the URL. */
  readonly name: string;
  /** Whether only a host that accepts writes is used, rather than the first that responds. */
  readonly readWrite: boolean;
  readonly tls: Tls | undefined;
  /** The URL without the password. */
  readonly displayName: string;
}

interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** An invalid database URL. The message completes the sentence "DATABASE_URL is invalid: …". */
export class DatabaseUrlError extends Error {
  override readonly name = "DatabaseUrlError";
}

/** Throws a `DatabaseUrlError`, or a `RangeError` if the text is neither a path nor a known kind of URL. */
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
const URL_FORMAT = "use postgres://user:password@host:port/database, with special characters percent-encoded";

/** The supported libpq options. All others are rejected: ignoring one could weaken TLS. */
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

/** Error messages quote no part of the text that could be a password, even a misplaced one. */
function parsePostgres(text: string): PostgresDatabase {
  const parts = POSTGRES.exec(text)?.groups;
  if (!parts) throw new DatabaseUrlError(URL_FORMAT);
  const urlOptions = parseOptions(parts.options ?? "");
  const { password, hosts = "" } = parts;
  const user = parts.user || "postgres";
  const name = parts.name || user;
  for (const part of [user, password, hosts]) decode(part ?? "");
  const secret = password === undefined ? "" : `:${password}`;
  const driverOptions = new URLSearchParams({
    sslmode: tlsMode(urlOptions),
    application_name: urlOptions.get("application_name") ?? "roster",
  });
  const binding = urlOptions.get("channel_binding");
  if (binding !== undefined) driverOptions.set("channel_binding", binding);
  const hostList = hosts.split(",").map((host) => parseHost(host, urlOptions.get("host")));
  const target = urlOptions.get("target_session_attrs") ?? (hostList.length > 1 ? "read-write" : "any");
  const [first, ...others] = hostList.map(
    (host) => `postgres://${user}${secret}@${host}/${name}?${driverOptions}`,
  );
  if (first === undefined) throw new DatabaseUrlError("the host is missing");
  return {
    engine: "postgres",
    urls: [first, ...others],
    name: decode(name),
    readWrite: target !== "any",
    tls: readTls(urlOptions),
    displayName: `postgres://${user}@${hostList.join(",")}/${name}`,
  };
}

/** The URL option `host` replaces the host: a name, or the folder of a Unix socket. */
function parseHost(text: string, hostOption: string | undefined): string {
  const parts = HOST.exec(text)?.groups;
  const host = hostOption?.startsWith("/")
    ? encodeURIComponent(hostOption)
    : (hostOption ?? parts?.host ?? "localhost");
  const port = Number(parts?.port ?? 5432);
  if (!parts || !HOST.test(`${host}:${port}`) || port < 1 || port > 65_535) {
    throw new DatabaseUrlError("a host must be a name or an IP address, with an optional :port");
  }
  return `${host}:${port}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseUrlError(URL_FORMAT);
  }
}

function parseOptions(text: string): Map<Option, string> {
  const urlOptions = new Map<Option, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    const option = options.find((option) => option === name);
    if (!option)
      throw new DatabaseUrlError(`unknown option ${name}; valid options are ${options.join(", ")}`);
    urlOptions.set(option, value);
  }
  check(urlOptions.get("sslmode"), "sslmode", ["disable", "prefer", "require", "verify-ca", "verify-full"]);
  check(urlOptions.get("target_session_attrs"), "target_session_attrs", ["any", "read-write", "primary"]);
  check(urlOptions.get("channel_binding"), "channel_binding", ["disable", "prefer", "require"]);
  return urlOptions;
}

function check(value: string | undefined, name: string, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value)) {
    throw new DatabaseUrlError(`${name} must be one of ${choices.join(", ")}`);
  }
}

/** The same as in libpq, except for `prefer` with `sslrootcert`: the certificate is verified then. */
function tlsMode(urlOptions: ReadonlyMap<Option, string>): string {
  const mode = urlOptions.get("sslmode");
  const authority = urlOptions.get("sslrootcert");
  if (authority === undefined || mode === "disable") return mode ?? "prefer";
  if (authority !== "system") return mode === "verify-full" ? mode : "verify-ca";
  check(mode, "sslmode beside sslrootcert=system", ["verify-full"]);
  return "verify-full";
}

function readTls(urlOptions: ReadonlyMap<Option, string>): Tls | undefined {
  const [ca, cert, key] = [
    urlOptions.get("sslrootcert"),
    urlOptions.get("sslcert"),
    urlOptions.get("sslkey"),
  ];
  if ((cert === undefined) !== (key === undefined)) {
    throw new DatabaseUrlError("set both sslcert and sslkey, or neither");
  }
  if (urlOptions.get("sslmode") === "disable") return undefined;
  const authority = ca !== undefined && ca !== "system" && { ca: readFile(ca) };
  const identity = cert !== undefined && key !== undefined && { cert: readFile(cert), key: readFile(key) };
  return authority || identity ? { ...authority, ...identity } : undefined;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new DatabaseUrlError(`cannot read the file ${path}`);
  }
}
