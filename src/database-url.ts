import { readFileSync } from "node:fs";

/** Where the users are kept, as DATABASE_URL says it. */
export type Database = SqliteDatabase | PostgresDatabase;

interface SqliteDatabase {
  readonly engine: "sqlite";
  readonly path: string;
  /** For people to read. */
  readonly shown: string;
}

export interface PostgresDatabase {
  readonly engine: "postgres";
  /** One URL for every host, in the order in which they are tried; each has the password in it. */
  readonly urls: readonly [string, ...string[]];
  /** Whether the first that answers will do, or only one that takes writes. */
  readonly readWrite: boolean;
  readonly tls: Tls | undefined;
  /** For people to read: no password. */
  readonly shown: string;
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
  return { engine: "sqlite", path, shown: path };
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
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^@/?#]*)(?:\/(?<name>[^?/#]*))?(?:\?(?<options>[^#]*))?$/i;
const HOST = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+|(?:%2f[^:]*))?(?::(?<port>\d{1,5}))?$/i;

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

function parsePostgres(text: string): PostgresDatabase {
  const parts = POSTGRES.exec(text)?.groups;
  if (!parts)
    throw new DatabaseUrlError(
      "it takes postgres://user:password@host:port/database, with special characters percent-encoded",
    );
  const given = parseOptions(parts.options ?? "");
  const { user = "", password, hosts = "", name = "" } = parts;
  const list = hosts.split(",").map((one) => parseHost(one, given.get("host")));
  const secret = password === undefined ? "" : `:${password}`;
  const passed = new URLSearchParams();
  for (const option of ["sslmode", "application_name", "channel_binding"] as const) {
    const value = given.get(option);
    if (value !== undefined) passed.set(option, value);
  }
  if (!passed.has("sslmode")) passed.set("sslmode", "prefer");
  if (!passed.has("application_name")) passed.set("application_name", "roster");
  const target = given.get("target_session_attrs") ?? (list.length > 1 ? "read-write" : "any");
  const urls = list.map(
    (host) => `postgres://${user || "postgres"}${secret}@${host}/${name || user}?${passed}`,
  );
  const [first, ...others] = urls;
  if (first === undefined) throw new DatabaseUrlError("it names no host");
  return {
    engine: "postgres",
    urls: [first, ...others],
    readWrite: target !== "any",
    tls: readTls(given),
    shown: `postgres://${user || "postgres"}@${list.join(",")}/${name || user}`,
  };
}

function parseHost(text: string, socket: string | undefined): string {
  const parts = HOST.exec(text)?.groups;
  if (!parts || Number(parts.port ?? 1) > 65_535) throw new DatabaseUrlError(`"${text}" is no host and port`);
  return `${socket !== undefined ? encodeURIComponent(socket) : (parts.host ?? "localhost")}:${parts.port ?? 5432}`;
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
  return given;
}

function check(value: string | undefined, name: string, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value)) {
    throw new DatabaseUrlError(`${name} takes ${choices.join(", ")}`);
  }
}

function readTls(given: ReadonlyMap<Option, string>): Tls | undefined {
  const files = { ca: given.get("sslrootcert"), cert: given.get("sslcert"), key: given.get("sslkey") };
  const read = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, readFile(path)]],
  );
  return read.length > 0 ? Object.fromEntries(read) : undefined;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new DatabaseUrlError(`the file ${path} cannot be read`);
  }
}
