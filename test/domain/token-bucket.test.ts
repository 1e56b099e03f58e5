import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RateLimit } from "../../src/contract/keys/key-schemas.ts";
import { TokenBucket, TokenBuckets } from "../../src/domain/token-bucket.ts";

/** The largest rounding error, in requests. */
const ROUNDING = 1e-5;

const limits = fc.record({
  requests: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1_000_000 })),
  seconds: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 86_400 })),
});
const small = fc.record({
  requests: fc.integer({ min: 1, max: 8 }),
  seconds: fc.integer({ min: 1, max: 7 }),
});
/** Milliseconds between calls: bursts, a steady pace, and pauses. */
const pauses = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: fc.double({ min: 0, max: 400, noNaN: true }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 3000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 60_000 }) },
  ),
  { minLength: 1, maxLength: 120, size: "max" },
);
const starts = fc.double({ min: 0, max: 1e10, noNaN: true });

function timesOf(start: number, gaps: readonly number[]): number[] {
  let now = start;
  return gaps.map((gap) => {
    now += gap;
    return now;
  });
}

const perMs = ({ requests, seconds }: RateLimit) => requests / seconds / 1000;

/** How many more requests the limit allows now, over every interval since an admitted request. */
function room(limit: RateLimit, admitted: readonly number[], now: number): number {
  const spans = admitted.map((since, index) => {
    const count = admitted.length - index;
    return limit.requests + (now - since) * perMs(limit) - count;
  });
  return Math.min(limit.requests, ...spans);
}

describe("a token bucket", () => {
  test("admits exactly what the limit allows in every interval", () => {
    fc.assert(
      fc.property(fc.oneof(small, limits), starts, pauses, (limit, start, gaps) => {
        const bucket = new TokenBucket(limit);
        const admitted: number[] = [];
        for (const now of timesOf(start, gaps)) {
          const before = room(limit, admitted, now);
          if (bucket.take(now)) {
            expect(before).toBeGreaterThanOrEqual(1 - ROUNDING);
            admitted.push(now);
          } else expect(before).toBeLessThan(1 + ROUNDING);
        }
      }),
    );
  });

  test("admits as many requests as `remaining` says, and not one more", () => {
    fc.assert(
      fc.property(small, starts, pauses, (limit, start, gaps) => {
        const bucket = new TokenBucket(limit);
        for (const now of timesOf(start, gaps)) bucket.take(now);
        const now = start + gaps.reduce((sum, gap) => sum + gap, 0);
        const { remaining: left } = bucket;
        expect(left).toBeWithin(0, limit.requests + 1);
        for (let call = 0; call < left; call++) expect(bucket.take(now)).toBe(true);
        expect(bucket.take(now)).toBe(false);
        expect(bucket.remaining).toBe(0);
      }),
    );
  });

  test("admits a request after `retryAfterSeconds`, and not a second earlier", () => {
    fc.assert(
      fc.property(fc.oneof(small, limits), starts, pauses, (limit, start, gaps) => {
        const bucket = new TokenBucket(limit);
        const admitted: number[] = [];
        for (const now of timesOf(start, gaps)) {
          if (bucket.take(now)) admitted.push(now);
          else {
            const { retryAfterSeconds: wait } = bucket;
            expect(Number.isInteger(wait) && wait >= 1).toBe(true);
            expect(room(limit, admitted, now + wait * 1000)).toBeGreaterThan(1 - ROUNDING);
            if (wait > 1) expect(room(limit, admitted, now + (wait - 1) * 1000)).toBeLessThan(1 + ROUNDING);
          }
        }
      }),
    );
  });

  test("always admits a request after waiting `retryAfterSeconds`", () => {
    fc.assert(
      fc.property(small, starts, fc.integer({ min: 1, max: 30 }), (limit, start, rounds) => {
        const bucket = new TokenBucket(limit);
        let now = start;
        for (let round = 0; round < rounds; round++) {
          while (bucket.take(now));
          now += bucket.retryAfterSeconds * 1000;
          expect(bucket.take(now)).toBe(true);
        }
      }),
    );
  });

  test("admits a request after `retryAfterSeconds` at rates that do not divide evenly", () => {
    for (let seconds = 1; seconds <= 200; seconds++) {
      const bucket = new TokenBucket({ requests: 1, seconds });
      expect(bucket.take(0)).toBe(true);
      expect(bucket.take(0)).toBe(false);
      expect({ seconds, wait: bucket.retryAfterSeconds }).toEqual({ seconds, wait: seconds });
      expect({ seconds, admitted: bucket.take(seconds * 1000) }).toEqual({ seconds, admitted: true });
    }
  });

  test("neither refills nor drains while time stands still or runs backwards", () => {
    const backwards = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { maxLength: 50, size: "max" });
    fc.assert(
      fc.property(small, backwards, fc.double({ min: 1e9, max: 1e10, noNaN: true }), (limit, back, now) => {
        const bucket = new TokenBucket(limit);
        for (let call = 0; call < limit.requests; call++) expect(bucket.take(now)).toBe(true);
        for (const earlier of [now, ...back, now]) expect(bucket.take(earlier)).toBe(false);
        expect(bucket.remaining).toBe(0);
        // It continues from the latest time that it has seen.
        expect(bucket.take(now + bucket.retryAfterSeconds * 1000)).toBe(true);
      }),
    );
  });

  test("never holds more tokens than the limit after a pause", () => {
    fc.assert(
      fc.property(small, starts, fc.double({ min: 0, max: 1e12, noNaN: true }), (limit, start, pause) => {
        const bucket = new TokenBucket(limit);
        const burst = (now: number) => {
          let count = 0;
          while (bucket.take(now)) count++;
          return count;
        };
        expect(burst(start)).toBe(limit.requests);
        const later = burst(start + pause);
        expect(later).toBeLessThanOrEqual(limit.requests);
        expect(Math.abs(later - Math.min(limit.requests, pause * perMs(limit)))).toBeLessThan(1 + ROUNDING);
      }),
    );
  });
});

describe("token buckets of many callers", () => {
  const limit: RateLimit = { requests: 3, seconds: 30 };
  const calls = fc.array(
    fc.record({ caller: fc.nat({ max: 200 }), gap: fc.nat({ max: 2000 }), takes: fc.nat({ max: 3 }) }),
    { maxLength: 400, size: "max" },
  );

  test("never exceed the maximum number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), calls, (most, sequence) => {
        const buckets = new TokenBuckets(limit, most);
        let now = 0;
        for (const { caller, gap, takes } of sequence) {
          now += gap;
          const bucket = buckets.get(String(caller), now);
          for (let take = 0; take < takes; take++) bucket.take(now);
          expect(buckets.size).toBeLessThanOrEqual(most);
          expect(buckets.get(String(caller), now)).toBe(bucket);
        }
      }),
    );
  });

  test("never exceed the maximum number with a hundred thousand callers", () => {
    const buckets = new TokenBuckets(limit, 10_000);
    let most = 0;
    for (let caller = 0; caller < 100_000; caller++) {
      buckets.get(`10.${caller}`, caller / 100).take(caller / 100);
      most = Math.max(most, buckets.size);
    }
    expect(most).toBe(10_000);
  });

  test("evict full buckets first", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 99 }), { minLength: 20, maxLength: 90, size: "max" }),
        fc.nat({ max: 10_000 }),
        (quiet, start) => {
          const buckets = new TokenBuckets(limit, 100);
          const held = Array.from({ length: 100 }, (_, caller) => {
            const bucket = buckets.get(String(caller), start);
            const uses = quiet.includes(caller) ? 0 : limit.requests;
            for (let use = 0; use < uses; use++) bucket.take(start);
            return bucket;
          });
          buckets.get("one more", start);
          held.forEach((bucket, caller) => {
            if (!quiet.includes(caller)) expect(buckets.get(String(caller), start)).toBe(bucket);
          });
          expect(buckets.size).toBe(101 - quiet.length);
        },
      ),
    );
  });

  test("evict refilled buckets and keep empty ones", () => {
    const buckets = new TokenBuckets(limit, 10);
    for (let caller = 0; caller < 5; caller++) buckets.get(`early ${caller}`, 0).take(0);
    const later = limit.seconds * 1000;
    for (let caller = 0; caller < 5; caller++) {
      while (buckets.get(`late ${caller}`, later).take(later));
    }
    buckets.get("one more", later);
    expect(buckets.size).toBe(6);
    for (let caller = 0; caller < 5; caller++) {
      expect(buckets.get(`late ${caller}`, later).take(later)).toBe(false);
    }
  });

  test("evict the oldest tenth if none is full", () => {
    const buckets = new TokenBuckets(limit, 100);
    const use = (caller: string, now: number) => {
      while (buckets.get(caller, now).take(now));
    };
    for (let caller = 0; caller < 100; caller++) use(`caller ${caller}`, 0);
    use("one more", 0);
    expect(buckets.size).toBe(91);
    for (let caller = 10; caller < 100; caller++) {
      expect(buckets.get(`caller ${caller}`, 0).take(0)).toBe(false);
    }
  });
});

describe("A charge beyond one token", () => {
  const limit = { requests: 10, seconds: 10 };

  test("can be owed, and delays the next token by as much", () => {
    const bucket = new TokenBucket(limit);
    expect([bucket.take(0), bucket.charge(20, 0), bucket.remaining]).toEqual([true, true, 0]);
    expect(bucket.retryAfterSeconds).toBe(12);
    expect([bucket.take(11_999), bucket.take(12_000)]).toEqual([false, true]);
  });

  test("is refused while tokens are owed, and takes nothing then", () => {
    const bucket = new TokenBucket(limit);
    expect([bucket.charge(11, 0), bucket.charge(1, 0)]).toEqual([true, false]);
    expect(bucket.charge(1, 1000)).toBe(true);
  });

  test("is possible with the last token", () => {
    const bucket = new TokenBucket({ requests: 1, seconds: 1 });
    expect([bucket.take(0), bucket.charge(5, 0)]).toEqual([true, true]);
    expect([bucket.take(5999), bucket.take(6000)]).toEqual([false, true]);
  });
});
