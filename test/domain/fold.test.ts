import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { foldCase, foldEmail, foldText, wordStarts } from "../../src/domain/fold.ts";

const text = fc.string({ unit: "grapheme", maxLength: 40 });

describe("folding", () => {
  test("ignores case, and foldText also ignores accents", () => {
    expect(foldCase("JOSÉ")).toBe(foldCase("josé"));
    expect(foldCase("José")).not.toBe(foldCase("Jose"));
    expect(foldText("José")).toBe("jose");
    for (const [accented, plain] of [
      ["Łukasz", "lukasz"],
      ["Øyvind", "oyvind"],
      ["Straße", "strasse"],
      ["STRASSE", "strasse"],
      ["ΟΔΥΣΣΕΥΣ", "οδυσσευσ"],
      ["οδυσσεύς", "οδυσσευσ"],
      ["Ａｄａ", "ada"],
      ["ﬁn", "fin"],
      ["Æsa", "aesa"],
      ["Nguyễn", "nguyen"],
    ] as const) {
      expect(foldText(accented)).toBe(plain);
    }
  });

  test("keeps Indic vowel signs, Hangul syllables and Han characters", () => {
    expect(foldText("हिन्दी")).toBe("हिन्दी".normalize("NFKC"));
    expect(foldText("한국")).toBe("한국");
    expect(foldText("山田")).toBe("山田");
  });

  test("gives the same result when applied twice", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(foldCase(foldCase(value))).toBe(foldCase(value));
        expect(foldText(foldText(value))).toBe(foldText(value));
      }),
      { numRuns: 1000 },
    );
  });

  test("gives the same result for upper and lower case, composed and decomposed text", () => {
    fc.assert(
      fc.property(text, (value) => {
        for (const fold of [foldCase, foldText]) {
          expect(fold(value.toUpperCase())).toBe(fold(value));
          expect(fold(value.normalize("NFD"))).toBe(fold(value.normalize("NFC")));
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("foldText ignores what foldCase ignores", () => {
    fc.assert(
      fc.property(text, (value) => expect(foldText(foldCase(value))).toBe(foldText(value))),
      { numRuns: 1000 },
    );
  });

  test("never splits a surrogate pair", () => {
    fc.assert(
      fc.property(text, (value) => expect(foldText(value).isWellFormed()).toBe(value.isWellFormed())),
    );
  });
});

describe("folding emails", () => {
  /** Simple case folding, as regular expressions with the flags i and u compare. */
  const isSameLetter = (a: string, b: string) =>
    new RegExp(`^\\u{${(a.codePointAt(0) ?? 0).toString(16)}}$`, "iu").test(b);

  test("is Unicode simple case folding, for every character", () => {
    for (let code = 0x80; code < 0x110000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      // NFC replaces some characters by others, such as the Kelvin sign by K.
      if (character.normalize("NFC") !== character) continue;
      const variants = [character.toLowerCase(), character.toUpperCase(), foldEmail(character)];
      for (const variant of variants) {
        if (variant === character || [...variant].length !== 1) continue;
        const isSame = foldEmail(variant) === foldEmail(character);
        if (isSame !== isSameLetter(character, variant)) throw new Error(`${character} ${variant} ${isSame}`);
      }
    }
  });

  test("keeps letters apart that only look or sound the same", () => {
    for (const [a, b] of [
      ["ıda@x.org", "ida@x.org"],
      ["ß@x.org", "ss@x.org"],
      ["İ@x.org", "i@x.org"],
      ["ﬁ@x.org", "fi@x.org"],
    ] as const)
      expect(foldEmail(a)).not.toBe(foldEmail(b));
    for (const [a, b] of [
      ["ẞ@X.ORG", "ß@x.org"],
      ["ΣΑΣ@x.org", "σας@x.org"],
      ["JOSE\u0301@x.org", "josé@x.org"],
    ] as const)
      expect(foldEmail(a)).toBe(foldEmail(b));
  });

  test("gives the same result when applied twice, and for composed and decomposed text", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(foldEmail(foldEmail(value))).toBe(foldEmail(value));
        expect(foldEmail(value.normalize("NFD"))).toBe(foldEmail(value));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("word starts", () => {
  test("are the first one or two characters of the name, of each word, and of the email", () => {
    expect(wordStarts("mary-jane o'brien x", "mj@example.com").sort()).toEqual([
      "br",
      "ja",
      "ma",
      "mj",
      "o'",
      "x",
    ]);
    expect(wordStarts("(bob)", undefined).sort()).toEqual(["(b", "bo"]);
    expect(wordStarts("𝒜b", undefined)).toEqual(["𝒜b"]);
  });
});

test("emails that early databases kept apart by foldCase stay apart", () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const folded = foldEmail(character);
    if (folded !== character && foldCase(folded) !== foldCase(character))
      throw new Error(`U+${code.toString(16)}`);
  }
  fc.assert(fc.property(text, (email) => foldCase(foldEmail(email)) === foldCase(email)));
});
