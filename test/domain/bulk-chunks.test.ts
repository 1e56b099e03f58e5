import { expect, test } from "bun:test";
import { bulkLimits } from "../../src/contract/bulk/bulk.ts";
import { chunkLength } from "../../src/domain/bulk/change-chunks.ts";

const ids = Array.from({ length: 2000 }, (_, index) => index + 1);
const sizes = (bytes: number) => new Map(ids.map((id) => [id, bytes]));

test.each([
  ["small users by their number", sizes(100), 0, bulkLimits.chunkLines],
  ["large users by their size", sizes(bulkLimits.changeBytes / 10), 0, 10],
  ["users that a change makes large", sizes(100), bulkLimits.changeBytes / 8 - 100, 8],
  ["users that do not exist by their number", new Map(), 0, bulkLimits.chunkLines],
  ["users that are too large for a chunk to one", sizes(2 * bulkLimits.changeBytes), 0, 1],
])("a chunk of a bulk change limits %s", (_, bytes, growth, length) => {
  expect(chunkLength(ids, bytes, growth)).toBe(length);
});

test("the last chunk of a bulk change has the rest of the users", () => {
  expect(chunkLength(ids.slice(0, 7), sizes(100), 0)).toBe(7);
  expect(chunkLength([], sizes(100), 0)).toBe(0);
});
