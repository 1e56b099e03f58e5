import { expect, test } from "bun:test";
import fc from "fast-check";
import { searchedWords } from "../../src/domain/lists/searched-words.ts";
import { expectedList } from "../store/support/store-model.ts";
import { allUsers } from "../store/support/store-under-test.ts";

test("leaves out words that another word implies", () => {
  expect(searchedWords(["Ada", "ada", "ÁDA"])).toEqual(["ada"]);
  expect(searchedWords(["love", "Lovelace", "lace"])).toEqual(["lovelace"]);
  expect(searchedWords(["a", "ad"])).toEqual(["ad"]);
  expect(searchedWords(["d", "ad"])).toEqual(["d", "ad"]);
  expect(searchedWords(["ad", "ada"])).toEqual(["ad", "ada"]);
  expect(searchedWords(["\u0301", "¨"])).toEqual([]);
});

test("finds the same users with and without the words that it leaves out", () => {
  const text = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom("a", "b", " ", "-"), minLength: 1, maxLength });
  const word = fc.string({ unit: fc.constantFrom("a", "b", "-"), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), text(12), text(6), (words, name, email) => {
      const user = { id: 1, name, email, version: 1, createdAt: "", updatedAt: "" };
      const isFound = (search: string[]) => expectedList([user], { ...allUsers, search }).length === 1;
      expect(isFound(searchedWords(words))).toBe(isFound(words));
    }),
    { numRuns: 1000 },
  );
});
