import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { crc32 } from "node:zlib";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { readResponse } from "../support/responses.ts";
import { KeyAdmin } from "./access/support/key-admin.ts";

setDefaultTimeout(120_000);

const ROUNDS = 250;
/** A busy machine may show a difference once. A real difference shows every time. */
const ATTEMPTS = 3;
/** A smaller difference cannot be measured over a network. */
const NEGLIGIBLE_MS = 0.02;

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The key with its last two random characters changed and a valid checksum: the closest possible wrong key. */
function almost(key: string): string {
  const random = key.slice("roster_".length, -6);
  const pick = () => DIGITS[Math.floor(Math.random() * DIGITS.length)];
  const other = `${random.slice(0, -2)}${pick()}${pick()}`;
  return other === random ? almost(key) : `roster_${other}${base62(crc32(other)).padStart(6, "0")}`;
}

function base62(value: number): string {
  const rest = Math.floor(value / DIGITS.length);
  return (rest > 0 ? base62(rest) : "") + DIGITS[value % DIGITS.length];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * The median difference of pairs of times, or 0 if the difference is not significant: less than half the median
 * deviation, which is nearly five times the standard error of the median.
 */
function difference(times: readonly number[], baseline: readonly number[]): number {
  const differences = times.map((time, index) => time - (baseline[index] ?? Number.NaN));
  const middle = median(differences);
  const noise = median(differences.map((each) => Math.abs(each - middle)));
  return Math.abs(middle) > Math.max(noise / 2, NEGLIGIBLE_MS) ? middle : 0;
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

describe("the comparison of times", () => {
  // Like requests: mostly short, sometimes very long.
  const randomTimes = (extra: number) =>
    Array.from({ length: ROUNDS }, () => 1 + Math.random() * 0.2 + (Math.random() < 0.1 ? 5 : 0) + extra);

  test("finds a difference as small as the noise", () => {
    expect(difference(randomTimes(0.1), randomTimes(0))).toBeWithin(0.05, 0.15);
    expect(difference(randomTimes(0), randomTimes(0.1))).toBeWithin(-0.15, -0.05);
  });

  test("finds no difference between equal times", () => {
    for (let run = 0; run < 5; run++) expect(difference(randomTimes(0), randomTimes(0))).toBe(0);
  });
});

onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);

  /** Response times in milliseconds, by kind of key, one per round. */
  async function measure<K extends string>(
    kinds: Record<K, () => string>,
    names: readonly K[],
  ): Promise<Map<K, number[]>> {
    const times = new Map(names.map((name): [K, number[]] => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of shuffled(names)) {
        const headers = bearer(kinds[name]());
        const start = performance.now();
        const { status } = await readResponse(admin.call("/api/users/1", { headers }));
        times.get(name)?.push(performance.now() - start);
        expect(status).toBe(401);
      }
    }
    return times;
  }

  describe("the response time of a rejected key", () => {
    test("does not reveal how similar the key is to a valid one, nor whether it ever existed", async () => {
      const scopes = ["users:read"];
      const valid = await admin.createKey({ name: "valid", scopes });
      const expired = await admin.createKey({ name: "expired", scopes });
      await admin.createKey({ replaces: expired.id, graceSeconds: 0 });
      const revoked = await admin.createKey({ name: "revoked", scopes });
      await admin.revokeKey(revoked);
      const kinds = {
        similar: () => almost(valid.key),
        random: createSecret,
        expired: () => expired.key,
        revoked: () => revoked.key,
      };
      const names = ["similar", "random", "expired", "revoked"] as const;
      let found: string[] = [];
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const times = await measure(kinds, names);
        const random = times.get("random") ?? [];
        found = names
          .map((name) => ({ name, ms: difference(times.get(name) ?? [], random) }))
          .filter(({ ms }) => ms !== 0)
          .map(({ name, ms }) => `${name}: ${ms.toFixed(3)} ms`);
        if (found.length === 0) break;
      }
      expect(found).toEqual([]);
    });
  });
});
