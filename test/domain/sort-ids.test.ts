import { expect, test } from "bun:test";
import fc from "fast-check";
import { sortIds } from "../../src/domain/groups/sort-ids.ts";

const expected = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);

test("Any ids are sorted, each once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 })), async (ids) => {
      expect([...(await sortIds(ids))]).toEqual(expected(ids));
    }),
  );
});

test("More ids than are sorted at once are sorted, each once", async () => {
  const lengths = [4095, 4096, 4097, 8192, 8193, 12_289, 50_000];
  for (const length of lengths) {
    const ids = Array.from({ length }, (_, i) => ((i * 7919) % Math.ceil(length * 0.7)) + 1);
    expect([...(await sortIds([...new Set(ids)]))]).toEqual(expected(ids));
    expect([...(await sortIds(ids))]).toEqual(expected(ids));
  }
});
