import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RateLimit } from "../../src/contract/key-schemas.ts";
import { TokenBucket, TokenBuckets } from "../../src/domain/token-bucket.ts";

/** What rounding may add up to, in requests. */
const ROUNDING = 1e-5;

const limits = fc.record({
  requests: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1_000_000 })),
  seconds: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 86_400 })),
});
const small = fc.record({
  requests: fc.integer({ min: 1, max: 8 }),
  seconds: fc.integer({ min: 1, max: 7 }),
});
/** Milliseconds from one call to the next: bursts, a steady pace, and pauses. */
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

/** How many more may come at that moment, by what was admitted before, whatever the interval one looks at. */
function room(limit: RateLimit, admitted: readonly number[], now: number): number {
  const spans = admitted.map((since, index) => {
    const came = admitted.length - index;
    return limit.requests + (now - since) * perMs(limit) - came;
  });
  return Math.min(limit.requests, ...spans);
}

describe("a token bucket", () => {
  test("admits in no interval more than the limit and what has come back since, and refuses nothing below that", () => {
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

  test("says how many more may come now: that many are admitted, and not one more", () => {
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

  test("says after how many whole seconds a call is admitted, and not a second too many", () => {
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

  test("keeps its word: whoever waits as long as it says is admitted, however often", () => {
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

  test("keeps its word where a second does not divide evenly", () => {
    for (let seconds = 1; seconds <= 200; seconds++) {
      const bucket = new TokenBucket({ requests: 1, seconds });
      expect(bucket.take(0)).toBe(true);
      expect(bucket.take(0)).toBe(false);
      expect({ seconds, wait: bucket.retryAfterSeconds }).toEqual({ seconds, wait: seconds });
      expect({ seconds, admitted: bucket.take(seconds * 1000) }).toEqual({ seconds, admitted: true });
    }
  });

  test("gives and takes nothing while time stands still or runs backwards", () => {
    const backwards = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { maxLength: 50, size: "max" });
    fc.assert(
      fc.property(small, backwards, fc.double({ min: 1e9, max: 1e10, noNaN: true }), (limit, back, now) => {
        const bucket = new TokenBucket(limit);
        for (let call = 0; call < limit.requests; call++) expect(bucket.take(now)).toBe(true);
        for (const earlier of [now, ...back, now]) expect(bucket.take(earlier)).toBe(false);
        expect(bucket.remaining).toBe(0);
        // Nor is it a debt: it goes on from the latest moment that it has seen.
        expect(bucket.take(now + bucket.retryAfterSeconds * 1000)).toBe(true);
      }),
    );
  });

  test("takes back what was taken for nothing, as often as it was taken, and holds no more than before", () => {
    fc.assert(
      fc.property(small, starts, fc.nat({ max: 20 }), (limit, start, times) => {
        const bucket = new TokenBucket(limit);
        for (let time = 0; time < times; time++) {
          expect(bucket.take(start)).toBe(true);
          bucket.refund();
        }
        bucket.refund();
        expect(bucket.remaining).toBe(limit.requests);
      }),
    );
  });

  test("holds no more after a long pause than when it was new", () => {
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

describe("buckets of many callers", () => {
  const limit: RateLimit = { requests: 3, seconds: 30 };
  const calls = fc.array(
    fc.record({ caller: fc.nat({ max: 200 }), gap: fc.nat({ max: 2000 }), takes: fc.nat({ max: 3 }) }),
    { maxLength: 400, size: "max" },
  );

  test("are never more than may be, whoever comes", () => {
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

  test("are never more than may be, with a hundred thousand callers that all come once", () => {
    const buckets = new TokenBuckets(limit, 10_000);
    let most = 0;
    for (let caller = 0; caller < 100_000; caller++) {
      buckets.get(`10.${caller}`, caller / 100).take(caller / 100);
      most = Math.max(most, buckets.size);
    }
    expect(most).toBe(10_000);
  });

  test("are forgotten first where nothing is lost with them", () => {
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

  test("that have filled up again are as good as new, and those that have not are still held to their limit", () => {
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

  test("go, when all are in use, by the tenth that has been here longest", () => {
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
