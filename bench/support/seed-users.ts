import type { KnownValues } from "./known-values.ts";

/**
 * Values of the users of `roster seed`, about as frequent as those of the benchmark's own sample users. No city is in two countries:
 * nobody has both of the values that hardly overlap.
 */
export const seedValues: KnownValues = {
  // In Kovač, Kovalenko and Nováková.
  commonName: "kova",
  // 8 % have no email.
  matchesAll: "example",
  // In emails: "von der Fuchs" has no spaces there.
  rareName: "vonderfuchs",
  // Charlotte, Alexander, Linda.
  rareOfCommonParts: "chanda",
  wordsOfNobody: ["smith", "garcia"],
  threeCharacters: "ang",
  mailbox: "anna.smith",
  common: { field: "plan", value: "team", start: "tea" },
  others: ["business", "enterprise"],
  either: { field: "country", values: ["US", "CA"] },
  rare: { field: "joinedOn", value: "2015-03-14" },
  hardlyOverlapping: [
    { field: "country", value: "IN" },
    { field: "city", value: "Singapore" },
  ],
};
