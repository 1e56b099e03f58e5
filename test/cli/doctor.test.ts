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
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import type { StoredKey } from "../../src/domain/keys/key-store.ts";
import { certificateFile } from "../support/paths.ts";
import { testTls } from "../support/tls.ts";

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

/** The findings, each as "level: text". */
function format(findings: readonly Finding[]): string[] {
  return findings.map(({ level, says }) => `${level}: ${says}`);
}

function accessWith(env: Record<string, string>, keys: StoredKey[] | undefined): string[] {
  const contents = keys && { unfinishedMove: undefined, lastChange: undefined, keys };
  return format(checkAccess(readConfig([], env), contents, now));
}

describe("access", () => {
  test("is fine without keys if only this machine can connect", () => {
    expect(accessWith({}, [])).toEqual([
      "ok: Open to this machine only: the service listens on loopback, and no key exists.",
    ]);
  });

  test("is fine if a key is active, in the database or in ROSTER_API_KEY", () => {
    const fine = "ok: No active key expires soon or has been unused for 90 days.";
    expect(accessWith({}, [key(1)])).toEqual(["ok: API keys are required: 1 active in the database.", fine]);
    const env = { ROSTER_API_KEY: createSecret() };
    expect(accessWith(env, [])).toEqual(["ok: API keys are required: only ROSTER_API_KEY."]);
    expect(accessWith(env, [key(1), key(2)])).toEqual([
      "ok: API keys are required: 2 active in the database, and ROSTER_API_KEY.",
      fine,
    ]);
  });

  test("is a problem if keys are required and none is active", () => {
    const ended = [key(1, { revokedAt: now - 1 }), key(2, { expiresAt: now - 1, lifetime: DAY - 1 })];
    for (const [env, keys] of [
      [{ ROSTER_AUTH: "required" }, []],
      [{ ROSTER_TRUSTED_PROXIES: "10.0.0.5" }, []],
      [{}, ended],
    ] as const) {
      const [first, ...more] = accessWith(env, [...keys]);
      expect(first).toStartWith("problem: API keys are required, but no key is active.");
      expect(first).toContain("roster keys create");
      expect(more).toEqual([]);
    }
  });

  test("warns about keys sent over plain HTTP to other machines, unless there is TLS or a proxy", () => {
    const warned = (env: Record<string, string>) =>
      accessWith({ HOST: "0.0.0.0", ...env }, [key(1)]).some((line) => /^warning: .*unencrypted/.test(line));
    expect(warned({})).toBe(true);
    const { tlsCert, tlsKey } = testTls.settings;
    expect(warned({ ROSTER_TLS_CERT: tlsCert, ROSTER_TLS_KEY: tlsKey })).toBe(false);
    expect(warned({ ROSTER_TRUSTED_PROXIES: "10.0.0.5" })).toBe(false);
  });

  test("reports ROSTER_AUTH=off as a problem on a public address, and as a warning elsewhere", () => {
    const off = (env: Record<string, string>) => accessWith({ ROSTER_AUTH: "off", ...env }, [key(1)])[0];
    expect(off({ HOST: "0.0.0.0" })).toStartWith("problem: ROSTER_AUTH=off with HOST=0.0.0.0 lets anyone");
    expect(off({ HOST: "0.0.0.0", ROSTER_TRUSTED_PROXIES: "10.0.0.5" })).toStartWith("warning: ");
    expect(off({})).toStartWith("warning: ");
  });

  test("warns about trusted proxies that include public networks", () => {
    const lines = accessWith({ ROSTER_TRUSTED_PROXIES: "10.0.0.0/8,0.0.0.0/0" }, [key(1)]);
    expect(lines[1]).toStartWith("warning: ROSTER_TRUSTED_PROXIES includes public networks");
  });

  test("reports nothing if the database cannot be read", () => {
    expect(accessWith({}, undefined)).toEqual([]);
  });
});

describe("keys", () => {
  const warnings = (...keys: StoredKey[]) =>
    accessWith({}, keys).filter((line) => line.startsWith("warning"));

  test("warns about keys that never expire and were not used for 90 days", () => {
    const used = key(1, { createdAt: now - 400 * DAY, lastUsedAt: now - 89 * DAY });
    const forgotten = key(2, { createdAt: now - 400 * DAY, lastUsedAt: now - 91 * DAY });
    const never = key(3, { createdAt: now - 200 * DAY });
    expect(warnings(used, forgotten, never)).toEqual([
      "warning: Key 2 (key 2) never expires and was not used for 91d. If it is not needed: roster keys revoke 2",
      "warning: Key 3 (key 3) never expires and was never used in 200d. If it is not needed: roster keys revoke 3",
    ]);
  });

  test("warns about keys that expire within 14 days, unless they have a successor", () => {
    const ending = key(1, { lifetime: 14 * DAY, expiresAt: now + 13 * DAY });
    const replaced = key(2, { lifetime: 90 * DAY, expiresAt: now + DAY / 24 });
    const later = key(3, { lifetime: 90 * DAY, expiresAt: now + 89 * DAY });
    expect(warnings(ending, replaced, later)).toEqual([
      "warning: Key 1 (key 1) expires in 13d. To replace it: roster keys replace 1",
    ]);
  });

  test("summarises many keys in a few lines", () => {
    const many = Array.from({ length: 50 }, (_, i) => key(i + 1, { createdAt: now - 100 * DAY }));
    expect(warnings(...many).length).toBe(6);
    expect(warnings(...many)[5]).toBe("warning: 45 more keys like this: see roster keys list.");
  });
});

describe("TLS", () => {
  const { tlsCert, tlsKey } = testTls.settings;
  const privateKey = join(folder, "own.key");
  writeFileSync(privateKey, readFileSync(tlsKey));
  chmodSync(privateKey, 0o600);
  const { validFrom, validTo } = new X509Certificate(readFileSync(tlsCert));
  const at = (time: number, key = privateKey) => format(checkTls({ tlsCert, tlsKey: key }, time)).join("\n");

  test("checks the dates of the certificate", () => {
    expect(at(Date.parse(validFrom) + DAY)).toMatch(
      /^ok: The certificate of DNS:localhost matches its key and is valid for another /,
    );
    expect(at(Date.parse(validTo) - 20 * DAY)).toMatch(
      /^warning: .* expires in 20d: replace it, and restart the service\.$/,
    );
    expect(at(Date.parse(validTo) + 1)).toMatch(/^problem: .* has expired/);
    expect(at(Date.parse(validFrom) - DAY)).toMatch(/^problem: .* is not valid before/);
    expect(format(checkTls({ tlsCert: "", tlsKey: "" }))).toEqual([]);
  });

  test("reports an unreadable file or a key of another certificate, like the service", () => {
    expect(at(now, certificateFile("client.key"))).toMatch(
      /^problem: ROSTER_TLS_KEY: .* is not the private key/,
    );
    expect(at(now, join(folder, "none.key"))).toMatch(/^problem: ROSTER_TLS_KEY: cannot read/);
  });

  test("warns about a private key that every user can read", () => {
    chmodSync(privateKey, 0o644);
    expect(at(Date.parse(validFrom) + DAY)).toContain(
      `warning: Every user of this machine can read the private key: chmod 600 ${privateKey}`,
    );
  });
});

describe("an SQLite file", () => {
  const place = (name: string, mode: number, folderMode = 0o755) => {
    const inside = join(folder, name);
    mkdirSync(inside);
    const path = join(inside, "roster.db");
    writeFileSync(path, "");
    chmodSync(path, mode);
    chmodSync(inside, folderMode);
    // Other users cannot enter the temporary folder by default.
    chmodSync(folder, 0o755);
    return format(checkFile(path)).find((line) => /chmod|owner can read/.test(line));
  };

  test("warns if other users can read the file and enter its folders", () => {
    expect(place("open", 0o644)).toMatch(/^warning: Every user of this machine can read .*: chmod 600 /);
    expect(place("group", 0o640)).toMatch(/^warning: The whole group of the file can read /);
    expect(place("own", 0o600)).toMatch(/^ok: Only the owner can read /);
    expect(place("closed", 0o644, 0o700)).toMatch(/^ok: Only the owner can read /);
  });

  test("checks the closest existing folder if the file does not exist", () => {
    expect(format(checkFile(join(folder, "not", "there", "roster.db")))[0]).toBe(
      `ok: This user can write to ${folder}.`,
    );
    writeFileSync(join(folder, "file"), "");
    expect(format(checkFile(join(folder, "file", "roster.db")))[0]).toStartWith("problem: ");
    expect(format(checkFile(folder))[0]).toBe(
      `problem: ${folder} is a folder: choose a file in it with DATABASE_URL, like ${join(folder, "roster.db")}.`,
    );
  });

  test("formats sizes with units", () => {
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
  test("lists all invalid settings without secrets", () => {
    const env = { PORT: "http", ROSTER_API_KEY: "s3cret", DATABASE_URL: "postgres://me:s3cret@h/d?x=1" };
    const { config, findings } = checkSettings(["--auth=maybe"], env, "help");
    expect(config).toBeUndefined();
    expect(findings.map(({ says }) => says.split(/[= ]/)[0])).toEqual([
      "PORT",
      "DATABASE_URL",
      "--auth",
      "ROSTER_API_KEY",
    ]);
    expect(format(findings).join()).not.toContain("s3cret");
  });

  test("reports settings that contradict each other", () => {
    const { findings } = checkSettings([], { ROSTER_AUTH: "off", ROSTER_API_KEY: createSecret() }, "help");
    expect(format(findings)[0]).toStartWith("problem: ROSTER_AUTH=off lets everyone in");
  });

  test("warns about unknown ROSTER_ variables and suggests settings", () => {
    const env = { ROSTER_RATELIMIT: "1", ROSTER_URL: "http://x", ROSTER_SOMETHING_ELSE: "1" };
    const { findings } = checkSettings([], env, "help");
    expect(format(findings)).toEqual([
      "ok: All settings are valid: all defaults.",
      "warning: ROSTER_RATELIMIT in the environment is not a setting. Did you mean ROSTER_RATE_LIMIT?",
      "warning: ROSTER_SOMETHING_ELSE in the environment is not a setting. Remove it.",
    ]);
  });
});

test("compares the limit on open files with ROSTER_CONCURRENCY", () => {
  const limits = (concurrency: string) =>
    format(checkLimits(readConfig([], { ROSTER_CONCURRENCY: concurrency })))[0];
  expect(limits("1")).toMatch(/^ok: The service can open \d+ files|any number of/);
  expect(limits("1000000")).toMatch(/^(warning: .* ROSTER_CONCURRENCY is 1000000: raise|ok: .*any number)/);
});
