import { afterAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAccess } from "../../src/cli/doctor/access.ts";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { formatSize } from "../../src/cli/doctor/format-size.ts";
import { checkLimits } from "../../src/cli/doctor/machine.ts";
import { checkSettings } from "../../src/cli/doctor/settings.ts";
import { checkFile } from "../../src/cli/doctor/sqlite-file.ts";
import { checkTls } from "../../src/cli/doctor/tls.ts";
import { readConfig } from "../../src/config/config.ts";
import { createSecret } from "../../src/contract/key-secret.ts";
import type { StoredKey } from "../../src/domain/key-store.ts";
import { testTls } from "../api/sign-in.ts";
import { certificateFile } from "../support/paths.ts";

const folder = mkdtempSync(join(tmpdir(), "roster-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

const now = Date.parse("2026-06-01T12:00:00Z");
const DAY = 86_400_000;

function key(id: number, about: Partial<StoredKey> = {}): StoredKey {
  return {
    id,
    name: `key ${id}`,
    prefix: "roster_5xGp2",
    digest: "",
    scopes: ["users:read"],
    createdAt: now - DAY,
    lifetime: null,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    rateLimit: null,
    quota: null,
    requests: 0,
    ...about,
  };
}

/** The findings, each as "level: what it says". */
function told(findings: readonly Finding[]): string[] {
  return findings.map(({ level, says }) => `${level}: ${says}`);
}

function accessWith(env: Record<string, string>, keys: StoredKey[] | undefined): string[] {
  const contents = keys && { unfinishedMove: undefined, lastChange: undefined, keys };
  return told(checkAccess(readConfig([], env), contents, now));
}

describe("who may call", () => {
  test("this machine alone is in order while there is no key", () => {
    expect(accessWith({}, [])).toEqual([
      "ok: Open to this machine only: it listens on loopback, and there is no key.",
    ]);
  });

  test("callers with keys are, if there are keys; the key of the environment is one", () => {
    const fine = "ok: No key is forgotten, and none is about to expire.";
    expect(accessWith({}, [key(1)])).toEqual(["ok: A key is required; 1 is in force.", fine]);
    const env = { ROSTER_API_KEY: createSecret() };
    expect(accessWith(env, [])).toEqual(["ok: A key is required; ROSTER_API_KEY is the only one."]);
    expect(accessWith(env, [key(1), key(2)])).toEqual([
      "ok: A key is required; 2 are in force, and ROSTER_API_KEY.",
      fine,
    ]);
  });

  test("nobody gets in where a key is asked for and none is in force", () => {
    const ended = [key(1, { revokedAt: now - 1 }), key(2, { expiresAt: now - 1, lifetime: DAY - 1 })];
    for (const [env, keys] of [
      [{ ROSTER_AUTH: "required" }, []],
      [{ ROSTER_TRUSTED_PROXIES: "10.0.0.5" }, []],
      [{}, ended],
    ] as const) {
      const [first, ...more] = accessWith(env, [...keys]);
      expect(first).toStartWith("problem: A key is required, and there is none in force");
      expect(first).toContain("roster keys create");
      expect(more).toEqual([]);
    }
  });

  test("keys over plain http beyond this machine are warned of, unless TLS or a proxy is there", () => {
    const warned = (env: Record<string, string>) =>
      accessWith({ HOST: "0.0.0.0", ...env }, [key(1)]).some((line) => /^warning: .*unencrypted/.test(line));
    expect(warned({})).toBe(true);
    const { tlsCert, tlsKey } = testTls.settings;
    expect(warned({ ROSTER_TLS_CERT: tlsCert, ROSTER_TLS_KEY: tlsKey })).toBe(false);
    expect(warned({ ROSTER_TRUSTED_PROXIES: "10.0.0.5" })).toBe(false);
  });

  test("ROSTER_AUTH=off is a problem on a public address, and a warning elsewhere", () => {
    const off = (env: Record<string, string>) => accessWith({ ROSTER_AUTH: "off", ...env }, [key(1)])[0];
    expect(off({ HOST: "0.0.0.0" })).toStartWith("problem: ROSTER_AUTH=off with HOST=0.0.0.0 lets anybody");
    expect(off({ HOST: "0.0.0.0", ROSTER_TRUSTED_PROXIES: "10.0.0.5" })).toStartWith("warning: ");
    expect(off({})).toStartWith("warning: ");
  });

  test("proxies that are everybody are warned of", () => {
    const lines = accessWith({ ROSTER_TRUSTED_PROXIES: "10.0.0.0/8,0.0.0.0/0" }, [key(1)]);
    expect(lines[1]).toStartWith("warning: ROSTER_TRUSTED_PROXIES names public networks");
  });

  test("of keys that are not known, nothing is said", () => {
    expect(accessWith({}, undefined)).toEqual([]);
  });
});

describe("keys", () => {
  const warnings = (...keys: StoredKey[]) =>
    accessWith({}, keys).filter((line) => line.startsWith("warning"));

  test("that never expire and were not used for 90 days are named, with what ends them", () => {
    const used = key(1, { createdAt: now - 400 * DAY, lastUsedAt: now - 89 * DAY });
    const forgotten = key(2, { createdAt: now - 400 * DAY, lastUsedAt: now - 91 * DAY });
    const never = key(3, { createdAt: now - 200 * DAY });
    expect(warnings(used, forgotten, never)).toEqual([
      "warning: Key 2, key 2, never expires and was not used for 91d: if nobody needs it, roster keys revoke 2",
      "warning: Key 3, key 3, never expires and was never used in 200d: if nobody needs it, roster keys revoke 3",
    ]);
  });

  test("that expire within 14 days are named, unless their successor is there", () => {
    const ending = key(1, { lifetime: 14 * DAY, expiresAt: now + 13 * DAY });
    const replaced = key(2, { lifetime: 90 * DAY, expiresAt: now + DAY / 24 });
    const later = key(3, { lifetime: 90 * DAY, expiresAt: now + 89 * DAY });
    expect(warnings(ending, replaced, later)).toEqual([
      "warning: Key 1, key 1, expires in 13d: roster keys replace 1 makes its successor.",
    ]);
  });

  test("that are many are told in a few lines", () => {
    const many = Array.from({ length: 50 }, (_, i) => key(i + 1, { createdAt: now - 100 * DAY }));
    expect(warnings(...many).length).toBe(6);
    expect(warnings(...many)[5]).toBe("warning: The same is so of 45 more: see roster keys list.");
  });
});

describe("TLS", () => {
  const { tlsCert, tlsKey } = testTls.settings;
  const own = join(folder, "own.key");
  writeFileSync(own, readFileSync(tlsKey));
  chmodSync(own, 0o600);
  const { validFrom, validTo } = new X509Certificate(readFileSync(tlsCert));
  const at = (time: number, key = own) => told(checkTls({ tlsCert, tlsKey: key }, time)).join("\n");

  test("a certificate is looked at for what it is, for whom, and for how long", () => {
    expect(at(Date.parse(validFrom) + DAY)).toMatch(
      /^ok: The certificate of DNS:localhost and its key .* good/,
    );
    expect(at(Date.parse(validTo) - 20 * DAY)).toMatch(/^warning: .* expires in 20d: put a new one/);
    expect(at(Date.parse(validTo) + 1)).toMatch(/^problem: .* has expired/);
    expect(at(Date.parse(validFrom) - DAY)).toMatch(/^problem: .* is good only from/);
    expect(told(checkTls({ tlsCert: "", tlsKey: "" }))).toEqual([]);
  });

  test("one that cannot be used, or a key of another, is a problem as it is at the start", () => {
    expect(at(now, certificateFile("client.key"))).toMatch(
      /^problem: ROSTER_TLS_KEY: .* is not the private key/,
    );
    expect(at(now, join(folder, "none.key"))).toMatch(/^problem: ROSTER_TLS_KEY: cannot read/);
  });

  test("a private key that everybody can read is warned of", () => {
    chmodSync(own, 0o644);
    expect(at(Date.parse(validFrom) + DAY)).toContain(
      `warning: Every user of this machine can read the private key: chmod 600 ${own}`,
    );
  });
});

describe("a file", () => {
  const place = (name: string, mode: number, folderMode = 0o755) => {
    const inside = join(folder, name);
    mkdirSync(inside);
    const path = join(inside, "roster.db");
    writeFileSync(path, "");
    chmodSync(path, mode);
    chmodSync(inside, folderMode);
    // Nobody else comes into the temporary folder itself.
    chmodSync(folder, 0o755);
    return told(checkFile(path)).find((line) => /chmod|owner can read/.test(line));
  };

  test("that others can read is warned of, unless they cannot come to it", () => {
    expect(place("open", 0o644)).toMatch(/^warning: Every user of this machine can read .*: chmod 600 /);
    expect(place("group", 0o640)).toMatch(/^warning: Its whole group can read /);
    expect(place("own", 0o600)).toMatch(/^ok: Only its owner can read /);
    expect(place("closed", 0o644, 0o700)).toMatch(/^ok: Only its owner can read /);
  });

  test("that would be made is asked for its folder", () => {
    expect(told(checkFile(join(folder, "not", "there", "roster.db")))[0]).toBe(
      `ok: This user may write to ${folder}.`,
    );
    writeFileSync(join(folder, "file"), "");
    expect(told(checkFile(join(folder, "file", "roster.db")))[0]).toStartWith("problem: ");
    expect(told(checkFile(folder))[0]).toBe(
      `problem: ${folder} is no file: choose another with DATABASE_URL.`,
    );
  });

  test("sizes are told in units", () => {
    expect([0, 999, 1000, 1_500_000, 123_456_789, 73.5e9].map(formatSize)).toEqual([
      "0 bytes",
      "999 bytes",
      "1.0 kB",
      "1.5 MB",
      "123 MB",
      "73.5 GB",
    ]);
  });
});

describe("settings", () => {
  test("that cannot be used are all named at once, and nothing secret with them", () => {
    const env = { PORT: "http", ROSTER_API_KEY: "s3cret", DATABASE_URL: "postgres://me:s3cret@h/d?x=1" };
    const { config, findings } = checkSettings(["--auth=maybe"], env, "help");
    expect(config).toBeUndefined();
    expect(findings.map(({ says }) => says.split(/[= ]/)[0])).toEqual([
      "PORT",
      "DATABASE_URL",
      "--auth",
      "ROSTER_API_KEY",
    ]);
    expect(told(findings).join()).not.toContain("s3cret");
  });

  test("that cannot be used together are a problem too", () => {
    const { findings } = checkSettings([], { ROSTER_AUTH: "off", ROSTER_API_KEY: createSecret() }, "help");
    expect(told(findings)[0]).toStartWith("problem: ROSTER_AUTH=off lets everyone in");
  });

  test("variables that are nearly settings are warned of", () => {
    const env = { ROSTER_RATELIMIT: "1", ROSTER_URL: "http://x", ROSTER_SOMETHING_ELSE: "1" };
    const { findings } = checkSettings([], env, "help");
    expect(told(findings)).toEqual([
      "ok: Every setting can be used: all are the defaults.",
      "warning: ROSTER_RATELIMIT is in the environment, and is no setting: ROSTER_RATE_LIMIT may be meant.",
      "warning: ROSTER_SOMETHING_ELSE is in the environment, and is no setting: remove it.",
    ]);
  });
});

test("a limit on open files is held against how many requests may be worked on", () => {
  const limits = (concurrency: string) =>
    told(checkLimits(readConfig([], { ROSTER_CONCURRENCY: concurrency })))[0];
  expect(limits("1")).toMatch(/^ok: The service may have \d+ files|any number of/);
  expect(limits("1000000")).toMatch(/^(warning: .* ROSTER_CONCURRENCY is 1000000: raise|ok: .*any number)/);
});
