import { expect, test } from "bun:test";
import { bulkLimits } from "../../src/contract/bulk/bulk.ts";
import { cutChunk } from "../../src/domain/bulk/change-chunks.ts";

const ids = Array.from({ length: 2000 }, (_, index) => index + 1);
const sizes = (bytes: number) => new Map(ids.map((id) => [id, bytes]));

test.each([
  ["small users by their number", sizes(100), 0, bulkLimits.chunkLines],
  ["large users by their size", sizes(bulkLimits.changeBytes / 10), 0, 10],
  ["users that a change makes large", sizes(100), bulkLimits.changeBytes / 8 - 100, 8],
  ["users that do not exist by their number", new Map(), 0, bulkLimits.chunkLines],
  ["users that are too large for a chunk to one", sizes(2 * bulkLimits.changeBytes), 0, 1],
])("a chunk of a bulk change limits %s", (_, bytes, growth, length) => {
  const chunk = cutChunk(ids, bytes, growth);
  expect(chunk.length).toBe(length);
  const sizesOfChunk = ids.slice(0, length).map((id) => (bytes.get(id) ?? 0) + growth);
  expect(chunk.bytes).toBe(sizesOfChunk.reduce((sum, size) => sum + size));
});

test.each([
  [1, 500],
  [10, 500],
  [50, 100],
])("a chunk of a bulk change whose filter compares %d groups has at most %d users", (groups, length) => {
  expect(cutChunk(ids, new Map(), 10, groups)).toEqual({ length, bytes: 10 * length });
});

test("the last chunk of a bulk change has the rest of the users", () => {
  expect(cutChunk(ids.slice(0, 7), sizes(100), 0)).toEqual({ length: 7, bytes: 700 });
  expect(cutChunk([], sizes(100), 0)).toEqual({ length: 0, bytes: 0 });
});
