import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { crc32 } from "node:zlib";
import { createSecret } from "../../src/contract/key-secret.ts";
import { onEachEngine } from "../support/engines.ts";
import { bearer } from "./access/credentials.ts";
import { KeyAdmin } from "./access/key-admin.ts";

setDefaultTimeout(120_000);

const ROUNDS = 250;
/** Machines that run tests are busy: what is there to be measured is there each time, what is not is not. */
const TRIES = 3;
/** Nobody can tell less than this from farther away than this machine, however often they ask. */
const NEGLIGIBLE_MS = 0.02;

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The key with its last two random characters changed, and the checksum right again: as near as a wrong key can be. */
function nearly(key: string): string {
  const random = key.slice("roster_".length, -6);
  const pick = () => DIGITS[Math.floor(Math.random() * DIGITS.length)];
  const other = `${random.slice(0, -2)}${pick()}${pick()}`;
  return other === random ? nearly(key) : `roster_${other}${base62(crc32(other)).padStart(6, "0")}`;
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
 * How much longer one takes than the other, if that can be told: the median of what each pair differs by, unless that
 * is less than half of how far the pairs usually are from it. That is nearly five times the error of such a median.
 */
function difference(ones: readonly number[], others: readonly number[]): number {
  const pairs = ones.map((one, place) => one - (others[place] ?? Number.NaN));
  const middle = median(pairs);
  const noise = median(pairs.map((pair) => Math.abs(pair - middle)));
  return Math.abs(middle) > Math.max(noise / 2, NEGLIGIBLE_MS) ? middle : 0;
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

describe("What tells whether one thing takes longer than another", () => {
  // Mostly small, sometimes far too long, as requests are.
  const times = (more: number) =>
    Array.from({ length: ROUNDS }, () => 1 + Math.random() * 0.2 + (Math.random() < 0.1 ? 5 : 0) + more);

  test("sees a difference that is no larger than the noise", () => {
    expect(difference(times(0.1), times(0))).toBeWithin(0.05, 0.15);
    expect(difference(times(0), times(0.1))).toBeWithin(-0.15, -0.05);
  });

  test("sees none where there is none", () => {
    for (let run = 0; run < 5; run++) expect(difference(times(0), times(0))).toBe(0);
  });
});

onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);

  /** Milliseconds until the answer, for each kind of key, as often as there are rounds. */
  async function measured<K extends string>(
    kinds: Record<K, () => string>,
    names: readonly K[],
  ): Promise<Map<K, number[]>> {
    const times = new Map(names.map((name): [K, number[]] => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of shuffled(names)) {
        const headers = bearer(kinds[name]());
        const start = performance.now();
        const { status } = await admin.request("GET", "/api/users/1", undefined, headers);
        times.get(name)?.push(performance.now() - start);
        expect(status).toBe(401);
      }
    }
    return times;
  }

  describe("The time that a problem takes", () => {
    test("does not tell how near a key is to a good one, nor whether there ever was such a key", async () => {
      const scopes = ["users:read"];
      const good = await admin.createKey({ name: "good", scopes });
      const expired = await admin.createKey({ name: "expired", scopes });
      await admin.createKey({ replaces: expired.id, graceSeconds: 0 });
      const revoked = await admin.createKey({ name: "revoked", scopes });
      await admin.revokeKey(revoked);
      const kinds = {
        "nearly right": () => nearly(good.key),
        "wholly wrong": createSecret,
        expired: () => expired.key,
        revoked: () => revoked.key,
      };
      const names = ["nearly right", "wholly wrong", "expired", "revoked"] as const;
      let found: string[] = [];
      for (let turn = 0; turn < TRIES; turn++) {
        const times = await measured(kinds, names);
        const wrong = times.get("wholly wrong") ?? [];
        found = names
          .map((name) => ({ name, ms: difference(times.get(name) ?? [], wrong) }))
          .filter(({ ms }) => ms !== 0)
          .map(({ name, ms }) => `${name}: ${ms.toFixed(3)} ms`);
        if (found.length === 0) break;
      }
      expect(found).toEqual([]);
    });
  });
});
