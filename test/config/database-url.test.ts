import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { ConfigError, readConfig } from "../../src/config/config.ts";
import { DatabaseUrlError, type PostgresDatabase, parseDatabase } from "../../src/config/database-url.ts";
import { root } from "../support/paths.ts";

const certificates = join(root, "test/support/certificates");
const file = (name: string) => encodeURIComponent(join(certificates, name));

function parse(text: string): PostgresDatabase {
  const database = parseDatabase(text);
  if (database.engine !== "postgres") throw new Error(`${text} is not a PostgreSQL URL.`);
  return database;
}

/** The parts of a URL with one host. */
function parts(text: string) {
  const { urls, name, displayName } = parse(text);
  const { username, password, hostname, port, searchParams } = new URL(urls[0]);
  return { username, password, hostname, port, name, displayName, options: Object.fromEntries(searchParams) };
}

const errorMessage = (text: string) => {
  try {
    parseDatabase(text);
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message;
  }
  throw new Error(`${text} is not rejected.`);
};

describe("a path or an sqlite URL", () => {
  test.each([
    ["data/roster.db", "data/roster.db"],
    ["/var/lib/roster/roster.db", "/var/lib/roster/roster.db"],
    ["sqlite:data/roster.db", "data/roster.db"],
    ["sqlite:///var/lib/roster.db", "/var/lib/roster.db"],
    ["file:roster.db", "roster.db"],
  ])("%s is the file %s", (text, path) => {
    expect(parseDatabase(text)).toEqual({ engine: "sqlite", path, displayName: path });
  });

  test.each(["", " ", ":memory:", "sqlite:", "sqlite:a.db?mode=ro", "mysql://localhost/roster"])(
    "rejects %p",
    (text) => {
      expect(() => parseDatabase(text)).toThrow(RangeError);
    },
  );
});

describe("a postgres URL", () => {
  test("needs only a scheme: every other part has a default", () => {
    const defaults = {
      username: "postgres",
      password: "",
      hostname: "localhost",
      port: "5432",
      name: "postgres",
    };
    for (const text of ["postgres://", "postgresql://", "POSTGRES://localhost", "postgres://postgres@/"]) {
      expect(parts(text)).toMatchObject({
        ...defaults,
        options: { sslmode: "prefer", application_name: "roster" },
      });
    }
  });

  test("uses the user name as database name if the URL has none", () => {
    expect(parts("postgres://ada@db.example.com")).toMatchObject({ username: "ada", name: "ada" });
    expect(parts("postgres://ada@db.example.com/users")).toMatchObject({ username: "ada", name: "users" });
    expect(parts("postgres://db.example.com/users")).toMatchObject({ username: "postgres", name: "users" });
  });

  test("accepts a host name or an IP address", () => {
    expect(parts("postgres://db.example.com:6432/x")).toMatchObject({
      hostname: "db.example.com",
      port: "6432",
    });
    expect(parts("postgres://[::1]/x")).toMatchObject({ hostname: "[::1]", port: "5432" });
    expect(parts("postgres://u@[2001:db8::7]:6432/x")).toMatchObject({
      hostname: "[2001:db8::7]",
      port: "6432",
    });
    expect(parts("postgres:///x?host=db.example.com")).toMatchObject({ hostname: "db.example.com" });
  });

  test("accepts the folder of a Unix socket, percent-encoded as the host or as an option", () => {
    const socket = { hostname: "%2Fvar%2Frun%2Fpostgresql", name: "users" };
    expect(parts("postgres://ada@%2Fvar%2Frun%2Fpostgresql/users")).toMatchObject({
      ...socket,
      port: "5432",
    });
    expect(parts("postgres://ada@/users?host=/var/run/postgresql")).toMatchObject({
      ...socket,
      port: "5432",
    });
    expect(parts("postgres://:6432/users?host=/var/run/postgresql")).toMatchObject({
      ...socket,
      port: "6432",
    });
  });

  test("accepts several hosts, which share user, database and options", () => {
    const { urls, displayName, name } = parse("postgres://ada:pw@a,b:6432,[::1]:7000/users?sslmode=require");
    expect(urls.map((url) => new URL(url).host)).toEqual(["a:5432", "b:6432", "[::1]:7000"]);
    for (const url of urls) {
      const { username, password, pathname, searchParams } = new URL(url);
      expect([username, password, pathname, searchParams.get("sslmode")]).toEqual([
        ...["ada", "pw", "/users", "require"],
      ]);
    }
    expect([displayName, name]).toEqual(["postgres://ada@a:5432,b:6432,[::1]:7000/users", "users"]);
  });

  test("requires a host that accepts writes if there are several hosts, or if target_session_attrs says so", () => {
    expect(parse("postgres://a/x").readWrite).toBe(false);
    expect(parse("postgres://a,b/x").readWrite).toBe(true);
    expect(parse("postgres://a,b/x?target_session_attrs=any").readWrite).toBe(false);
    expect(parse("postgres://a/x?target_session_attrs=read-write").readWrite).toBe(true);
    expect(parse("postgres://a/x?target_session_attrs=primary").readWrite).toBe(true);
    expect(errorMessage("postgres://a/x?target_session_attrs=standby")).toContain("any, read-write, primary");
  });

  test("accepts any percent-encoded user, password and database, and displays no password", () => {
    const text = fc
      .string({ unit: "binary", minLength: 1 })
      .filter((value) => !value.includes("\0") && value.isWellFormed());
    fc.assert(
      fc.property(text, fc.string({ minLength: 5, maxLength: 20 }), text, (user, password, name) => {
        const encoded = [user, password, name].map(encodeURIComponent);
        const {
          urls,
          displayName,
          name: parsedName,
        } = parse(`postgres://${encoded[0]}:${encoded[1]}@db/${encoded[2]}`);
        const url = new URL(urls[0]);
        expect([url.username, url.password].map(decodeURIComponent)).toEqual([user, password]);
        expect([url.hostname, parsedName]).toEqual(["db", name]);
        expect(displayName).toBe(`postgres://${encoded[0]}@db:5432/${encoded[2]}`);
      }),
    );
  });

  test("passes application_name and channel_binding on", () => {
    const { options } = parts("postgres://a/x?application_name=my%20users&channel_binding=require");
    expect(options).toMatchObject({ application_name: "my users", channel_binding: "require" });
    expect(errorMessage("postgres://a/x?channel_binding=maybe")).toContain("disable, prefer, require");
  });

  test.each([
    "connect_timeout=3",
    "options=-cfoo",
    "SSLMODE=require",
    "sslcrl=x",
    "host=a,b",
    "sslmode=allow",
  ])("rejects the option %s", (option) => {
    expect(errorMessage(`postgres://a/x?${option}`)).not.toBe("");
  });

  test.each([
    ...["postgres:", "postgres:a/x", "postgres://a:0", "postgres://a:65536", "postgres://a:b:c"],
    ...["postgres://[::1", "postgres://a,,b c", "postgres://a/b/c", "postgres://a/x#y", "postgres://%zz@a/x"],
    ...["postgres://a b@c/x", "postgres://a/%zz", "postgres://%2f%zz/x", "postgres://a/x\n"],
  ])("rejects %p", (text) => {
    expect(errorMessage(text)).not.toBe("");
  });
});

describe("TLS", () => {
  const parseTls = (options: string) => {
    const { urls, tls } = parse(`postgres://db.example.com/x?${options}`);
    return { mode: new URL(urls[0]).searchParams.get("sslmode"), has: Object.keys(tls ?? {}) };
  };

  test("is preferred by default, and follows sslmode", () => {
    expect(parseTls("")).toEqual({ mode: "prefer", has: [] });
    for (const mode of ["disable", "prefer", "require", "verify-ca", "verify-full"]) {
      expect(parseTls(`sslmode=${mode}`)).toEqual({ mode, has: [] });
    }
  });

  test("verifies the certificate if sslrootcert names a file", () => {
    const root = `sslrootcert=${file("authority.crt")}`;
    for (const mode of ["", "sslmode=prefer&", "sslmode=require&", "sslmode=verify-ca&"]) {
      expect(parseTls(`${mode}${root}`)).toEqual({ mode: "verify-ca", has: ["ca"] });
    }
    expect(parseTls(`sslmode=verify-full&${root}`)).toEqual({ mode: "verify-full", has: ["ca"] });
    expect(parseTls(`sslmode=disable&${root}`)).toEqual({ mode: "disable", has: [] });
  });

  test("verifies the host name too with sslrootcert=system", () => {
    expect(parseTls("sslrootcert=system")).toEqual({ mode: "verify-full", has: [] });
    expect(parseTls("sslmode=verify-full&sslrootcert=system")).toEqual({ mode: "verify-full", has: [] });
    expect(errorMessage("postgres://a/x?sslmode=require&sslrootcert=system")).toContain("verify-full");
  });

  test("accepts a client certificate with its key", () => {
    const identity = `sslcert=${file("client.crt")}&sslkey=${file("client.key")}`;
    expect(parseTls(identity)).toEqual({ mode: "prefer", has: ["cert", "key"] });
    expect(parseTls(`sslmode=disable&${identity}`)).toEqual({ mode: "disable", has: [] });
    expect(errorMessage(`postgres://a/x?sslcert=${file("client.crt")}`)).toContain("sslkey");
    expect(errorMessage(`postgres://a/x?sslkey=${file("client.key")}`)).toContain("sslcert");
  });

  test("names a file that cannot be read", () => {
    expect(errorMessage("postgres://a/x?sslrootcert=/no/such/file.crt")).toContain("/no/such/file.crt");
  });
});

describe("a password", () => {
  test.each([
    ...["postgres://ada:se/cret@db/x", "postgres://ada:1234/secret@db", "postgres://ada:se?cret@db/x"],
    ...[
      "postgres://ada:se#cret@db/x",
      "postgres://ada:se@cret@db/x",
      "postgres://ada:secret",
      "postgres:secret@db",
    ],
    ...[
      "postgres://ada:secret@db:port/x",
      "postgres://ada:secret@db/x?sslmode=no",
      "postgres://a/x?password=secret",
    ],
    ...["postgres://a:secret@db/x?other=1", "postgres://ada/secret@db", "postgres://ada:%zzsecret@db/x"],
    ...["postgres://ada@db:secret/x", "postgres://ada:secret@db/x?sslrootcert=/no/such/file"],
  ])("is not in the error message about %s", (text) => {
    for (const read of [
      () => readConfig([], { DATABASE_URL: text }),
      () => readConfig([`--database=${text}`], {}),
    ]) {
      try {
        read();
        throw new Error(`${text} is accepted.`);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        expect(String(error)).not.toMatch(/secret|cret|1234/);
        expect(String(error)).toMatch(/^ConfigError: (DATABASE_URL|--database) is invalid: /);
      }
    }
  });
});
