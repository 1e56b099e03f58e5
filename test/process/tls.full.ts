import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { callAt } from "../support/call.ts";
import { certificateFile } from "../support/paths.ts";
import { runRoster, spawnRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { requirement } from "../support/requirements.ts";
import { testTls } from "../support/tls.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const tls = { ca: testTls.ca };
const { tlsCert, tlsKey } = testTls.settings;

/** Starts the service with TLS and a client that trusts its certificate authority. */
async function startSecure(...flags: string[]) {
  const database = join(temporaryFolder(), "roster.db");
  const env = { ROSTER_TLS_CERT: tlsCert, ROSTER_TLS_KEY: tlsKey };
  const roster = spawnRoster(["serve", "--port=0", `--database=${database}`, ...flags], { env });
  const readyLine = () => roster.stdout.find((line) => line.includes("is ready"));
  const ready: { users: string; docs: string } = JSON.parse(await roster.until(readyLine));
  const port = Number(new URL(ready.users).port);
  return {
    ...roster,
    ready,
    port,
    call: callAt(`https://localhost:${port}`, { tls }),
  };
}

/** Sends bytes over plain TCP, closes this side, and returns what arrives until the service closes the other side. */
function plainly(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      got += text;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(got));
  });
}

describe("with a certificate", () => {
  test("the service uses https, logs it at the start, and sends Strict-Transport-Security", async () => {
    const { call, ready, port } = await startSecure();
    expect(ready).toMatchObject({
      users: `https://127.0.0.1:${port}/api/users`,
      docs: `https://127.0.0.1:${port}/docs`,
    });
    const created = await call("/api/users", { method: "POST", json: { name: "Ada" } });
    expect(created.status).toBe(201);
    for (const [path, status] of [
      ["/api/users/1", 200],
      ["/api/users", 200],
      ["/api/users/2", 404],
      ["/nowhere", 404],
      ["/docs", 200],
      ["/docs/style.css", 200],
      ["/healthz", 200],
    ] as const) {
      const response = await call(path);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get("strict-transport-security")).toBe("max-age=31536000");
    }
    await expect(fetch(`https://localhost:${port}/healthz`)).rejects.toThrow(/certificate/);
  });

  test("TLS 1.2 works only with ciphers that have forward secrecy", async () => {
    // Only with an RSA certificate can a handshake lack forward secrecy.
    const certificate = certificateFile("rsa-server.crt");
    const { port } = await startSecure(
      `--tls-cert=${certificate}`,
      `--tls-key=${certificateFile("rsa-server.key")}`,
    );
    const ca = readFileSync(certificate, "utf8");
    const handshake = (ciphers: string) =>
      new Promise<string>((resolve) => {
        const options = { port, host: "localhost", ca, ciphers };
        const socket = connectTls({ ...options, minVersion: "TLSv1.2", maxVersion: "TLSv1.2" }, () => {
          resolve(socket.getCipher().name);
          socket.destroy();
        });
        socket.on("error", () => resolve("refused"));
      });
    expect(await handshake("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256")).toStartWith(
      "ECDHE-",
    );
    for (const cipher of ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "AES128-SHA"])
      expect([cipher, await handshake(cipher)]).toEqual([cipher, "refused"]);
  });

  test("plain http gets no response", async () => {
    const { call, port } = await startSecure();
    const requests = [
      "GET /api/users HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.0\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\x16\x03\x01\x00\x05hello",
      "\r\n\r\n",
    ];
    for (const text of await Promise.all(requests.map((bytes) => plainly(port, bytes)))) {
      expect(text).not.toMatch(/HTTP\/|roster|[{<]/i);
    }
    expect((await call("/healthz")).status).toBe(200);
  });

  test("stopping works as without TLS", async () => {
    const roster = await startSecure();
    expect((await roster.call("/healthz")).status).toBe(200);
    roster.kill("SIGTERM");
    expect(await roster.exited).toMatchObject({ code: 0 });
  });
});

test("without a certificate, no response mentions https", async () => {
  const roster = spawnRoster(["serve", "--port=0", `--database=${join(temporaryFolder(), "roster.db")}`]);
  const url = () => /(http:\/\/[^\s"]+)\/api\/users/.exec(roster.stdout.join("\n"))?.[1];
  await roster.until(url);
  for (const path of ["/api/users", "/docs"]) {
    const { headers } = await fetch(url() + path, { headers: { "x-forwarded-proto": "https" } });
    expect(headers.get("strict-transport-security")).toBeNull();
  }
});

describe("an invalid certificate", () => {
  /** Expects one line that names the setting and the file, no other output, and no database file. */
  async function expectRefusal(cert: string, key: string, code: number, ...says: string[]): Promise<void> {
    const folder = temporaryFolder();
    const env = { ROSTER_TLS_CERT: cert, ROSTER_TLS_KEY: key };
    const ran = await runRoster(["serve", "--port=0"], { env, cwd: folder });
    expect(ran).toMatchObject({ code, signal: null, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
    expect(ran.stderr).not.toMatch(/Cannot listen|Error:|OPENSSL|\bat .*:\d+|BEGIN/);
    for (const text of says) expect(ran.stderr).toContain(text);
    expect(existsSync(join(folder, "data"))).toBe(false);
  }

  function file(name: string, text: string): string {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, text);
    return path;
  }

  test("may be missing", async () => {
    await Promise.all([
      expectRefusal("/nowhere/a.pem", tlsKey, 1, "ROSTER_TLS_CERT", "/nowhere/a.pem", "cannot read"),
      expectRefusal(tlsCert, "/nowhere/a.key", 1, "ROSTER_TLS_KEY", "/nowhere/a.key", "cannot read"),
    ]);
  });

  test("may be a folder", async () => {
    const folder = join(temporaryFolder(), "folder");
    mkdirSync(folder);
    await expectRefusal(folder, tlsKey, 1, "ROSTER_TLS_CERT", folder, "cannot read");
  });

  requirement(process.getuid?.() !== 0, "root may read every file").test(
    "may be a file without read permission",
    async () => {
      const secret = file("secret.key", readFileSync(tlsKey, "utf8"));
      chmodSync(secret, 0o000);
      await expectRefusal(tlsCert, secret, 1, "ROSTER_TLS_KEY", secret, "cannot read");
    },
  );

  test("may be garbage, truncated, or followed by garbage", async () => {
    const pem = readFileSync(tlsCert, "utf8");
    const bad = [
      "",
      "garbage",
      "\0\x01\xff",
      readFileSync(tlsKey, "utf8"),
      pem.slice(0, 200),
      `${pem}\n${pem.slice(0, 200)}`,
    ];
    await Promise.all(
      bad.map(async (text, index) => {
        const cert = file(`${index}.crt`, text);
        await expectRefusal(cert, tlsKey, 1, `ROSTER_TLS_CERT: ${cert} is not a complete certificate in PEM`);
      }),
    );
  });

  test("may have no key or a truncated key", async () => {
    const pem = readFileSync(tlsKey, "utf8");
    const locked = pem.replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    const bad = ["", "garbage", readFileSync(tlsCert, "utf8"), pem.slice(0, 100), locked];
    await Promise.all(
      bad.map(async (text, index) => {
        const key = file(`${index}.key`, text);
        await expectRefusal(
          tlsCert,
          key,
          1,
          `ROSTER_TLS_KEY: ${key} is not a private key in PEM`,
          "passphrase",
        );
      }),
    );
  });

  test("may not match the key", async () => {
    const other = certificateFile("client.key");
    await expectRefusal(
      tlsCert,
      other,
      1,
      `ROSTER_TLS_KEY: ${other} is not the private key`,
      `${tlsCert} (ROSTER_TLS_CERT)`,
    );
  });

  test("may be set without the key, or the key without it", async () => {
    const both = ["Set both ROSTER_TLS_CERT and ROSTER_TLS_KEY", "or neither"];
    await Promise.all([expectRefusal(tlsCert, "", 2, ...both), expectRefusal("", tlsKey, 2, ...both)]);
  });

  test("may be followed by intermediate certificates when valid", async () => {
    const chain = file("chain.crt", `Of localhost:\n${readFileSync(tlsCert, "utf8")}\n${testTls.ca}`);
    const { call } = await startSecure(`--tls-cert=${chain}`);
    expect((await call("/healthz")).status).toBe(200);
  });
});
