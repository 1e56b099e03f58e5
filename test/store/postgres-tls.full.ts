import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { Connections } from "../../src/store/postgres/connections.ts";
import { toStoreError } from "../../src/store/postgres/to-store-error.ts";
import { certificateFile } from "../support/paths.ts";
import { BreakableProxy } from "../support/postgres/breakable-proxy.ts";
import { giveToServerAccount } from "../support/postgres/programs.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { until } from "../support/until.ts";

const file = (name: string) => encodeURIComponent(certificateFile(name));
const root = `sslrootcert=${file("authority.crt")}`;
const otherRoot = `sslrootcert=${file("other-authority.crt")}`;
const clientCertificate = `sslcert=${file("client.crt")}&sslkey=${file("client.key")}`;

let bare: Postgres;
let secure: Postgres;

beforeAll(async () => {
  const settings = { listen_addresses: "localhost" };
  [bare, secure] = await Promise.all([startPostgres({ settings }), startPostgres({ settings })]);
  await enableTls(secure, ["hostssl all roster all cert", "host all postgres all trust"]);
}, 90_000);
afterAll(() => Promise.all([bare.destroy(), secure.destroy()]));

/** Enables TLS with a certificate for localhost. */
async function enableTls(server: Postgres, rules: readonly string[]): Promise<void> {
  for (const name of ["server.crt", "server.key", "authority.crt"]) {
    copyFileSync(certificateFile(name), join(server.folder, name));
  }
  chmodSync(join(server.folder, "server.key"), 0o600);
  writeFileSync(join(server.folder, "pg_hba.conf"), rules.map((rule) => `${rule}\n`).join(""));
  giveToServerAccount(server.folder);
  const sql = new SQL(server.url(), { max: 1 });
  await sql`CREATE ROLE roster LOGIN`;
  await sql`ALTER SYSTEM SET ssl_ca_file = 'authority.crt'`;
  await sql`ALTER SYSTEM SET ssl = on`;
  await sql`SELECT pg_reload_conf()`;
  await until(async () => (await sql`SHOW ssl`)[0].ssl === "on");
  await sql.close();
}

/** Connects. Returns whether the connection uses TLS, or the error. */
async function connect(server: Postgres, options: string, host = "localhost", user = "postgres") {
  const database = parseDatabase(`postgres://${user}@${host}:${server.port}/postgres?${options}`);
  if (database.engine !== "postgres") throw new Error("The URL is not one of PostgreSQL.");
  try {
    const connections = await Connections.open({
      database,
      pool: 3,
      dedicatedSessions: true,
      waitMs: 60_000,
    });
    const reply = connections.withSeparateConnection(
      (sql) => sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
    );
    const [{ ssl }] = await reply.finally(() => connections.close());
    return ssl ? "with TLS" : "without TLS";
  } catch (error) {
    return String(toStoreError(error, database));
  }
}

describe("a server with TLS", () => {
  test.each(["", "sslmode=prefer", "sslmode=require"])(
    "is connected to with TLS without checking its certificate: %p",
    async (options) => {
      for (const host of ["localhost", "127.0.0.1"])
        expect(await connect(secure, options, host)).toBe("with TLS");
    },
  );

  test("is connected to without TLS with sslmode=disable, whatever the other options", async () => {
    for (const options of ["sslmode=disable", `sslmode=disable&${otherRoot}&${clientCertificate}`]) {
      expect(await connect(secure, options)).toBe("without TLS");
    }
  });

  test.each(["", "sslmode=prefer&", "sslmode=require&", "sslmode=verify-ca&"])(
    "must have a certificate of the given authority, for any host name: %p",
    async (mode) => {
      for (const host of ["localhost", "127.0.0.1"]) {
        expect(await connect(secure, `${mode}${root}`, host)).toBe("with TLS");
        expect(await connect(secure, `${mode}${otherRoot}`, host)).toMatch(
          /^StoreError: The certificate of PostgreSQL .* is not trusted .*sslrootcert/,
        );
      }
    },
  );

  test("must have a certificate for its host name with verify-full", async () => {
    const full = `sslmode=verify-full&${root}`;
    expect(await connect(secure, full)).toBe("with TLS");
    expect(await connect(secure, full, "127.0.0.1")).toMatch(/not trusted \(Hostname\/IP does not match/);
    expect(await connect(secure, `sslmode=verify-full&${otherRoot}`)).toMatch(/not trusted/);
  });

  test("is not trusted if its authority is unknown to the system", async () => {
    for (const options of ["sslmode=verify-ca", "sslmode=verify-full", "sslrootcert=system"]) {
      expect(await connect(secure, options)).toMatch(/not trusted/);
    }
  });

  test("gets the client certificate, and accepts no other", async () => {
    const roster = (options: string) => connect(secure, options, "localhost", "roster");
    for (const options of [
      clientCertificate,
      `sslmode=require&${clientCertificate}`,
      `sslmode=verify-full&${root}&${clientCertificate}`,
    ]) {
      expect(await roster(options)).toBe("with TLS");
    }
    expect(await roster("sslmode=require")).toMatch(/rejected the user .*valid client certificate/);
    const another = `sslcert=${file("server.crt")}&sslkey=${file("server.key")}`;
    expect(await roster(`sslmode=require&${another}`)).toMatch(/rejected the user .*certificate auth/);
    expect(await roster("sslmode=disable")).toMatch(/rejected the user .*no encryption/);
    const mixed = `sslcert=${file("client.crt")}&sslkey=${file("server.key")}`;
    expect(await roster(`sslmode=require&${mixed}`)).toMatch(/TLS handshake .*sslkey/);
  });
});

describe("a server without TLS", () => {
  test.each(["", "sslmode=prefer", "sslmode=disable"])("is connected to without TLS: %p", async (options) => {
    expect(await connect(bare, options)).toBe("without TLS");
  });

  test("is rejected if TLS is required", async () => {
    for (const options of ["sslmode=require", "sslmode=verify-full", root, clientCertificate]) {
      expect(await connect(bare, options)).toMatch(/^StoreError: PostgreSQL at .* does not support TLS: /);
    }
  });
});

describe("after the start, the database is unavailable if the server", () => {
  const afterSslRequest = (answer: (client: Socket) => void) => (client: Socket) =>
    client.once("data", () => answer(client));

  test.each<[string, (client: Socket) => void]>([
    ["does not support TLS any more", afterSslRequest((client) => client.end("N"))],
    ["closes the connection before the handshake", afterSslRequest((client) => client.end("S"))],
    [
      "closes the connection during the handshake",
      afterSslRequest((client) => {
        client.write("S");
        client.once("data", () => client.end());
      }),
    ],
    [
      "sends something else than a handshake",
      afterSslRequest((client) => {
        client.write("S");
        client.once("data", () => client.end("something else"));
      }),
    ],
  ])("%s", async (_, answer) => {
    const proxy = await BreakableProxy.start(`postgres://postgres@localhost:${secure.port}/postgres`);
    const database = parseDatabase(`${proxy.url}?sslmode=verify-full&${root}`);
    if (database.engine !== "postgres") throw new Error("The URL is not one of PostgreSQL.");
    const connections = await Connections.open({ database, pool: 3, dedicatedSessions: true, waitMs: 2000 });
    const query = () => connections.read((sql) => sql.unsafe("SELECT 1 WHERE $1 <> ''", ["a"]).values());
    expect(await query()).toHaveLength(1);
    proxy.answer = answer;
    proxy.cut();
    expect(await query().catch((error) => error)).toMatchObject({ type: "unavailable" });
    proxy.answer = undefined;
    expect(await query()).toHaveLength(1);
    await connections.close();
    proxy.stop();
  });
});
