import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  containsSecret,
  createAccessToken,
  createSecret,
  isSecret,
  looksLikeAccessToken,
  readAccessTokenKey,
  redactSecrets,
  redactSecretsInPath,
  secretPrefix,
} from "../../src/contract/keys/key-secret.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = /^roster_[0-9A-Za-z]{30}[0-9A-Za-z]{6}$/;
const MANY = 10_000;

/** CRC-32, bit by bit. */
function crc32(text: string): number {
  let rest = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}

function base62(value: number): string {
  return value < DIGITS.length ? DIGITS.charAt(value) : base62(Math.floor(value / 62)) + base62(value % 62);
}

const randomPart = fc
  .array(fc.constantFrom(...DIGITS), { minLength: 30, maxLength: 30 })
  .map((characters) => characters.join(""));
const secrets = fc.oneof(
  fc.constant(null).map(() => createSecret()),
  randomPart.map((random) => `roster_${random}${base62(crc32(random)).padStart(6, "0")}`),
);
const places = fc.nat({ max: 42 });
const replaced = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + 1);

describe("a key's secret", () => {
  test("is roster_, 30 letters and digits, and their CRC-32 in 6 more", () => {
    expect(crc32("123456789")).toBe(0xcbf43926);
    for (let i = 0; i < 1000; i++) {
      const secret = createSecret();
      expect(secret).toMatch(FORM);
      expect(secret.slice(37)).toBe(base62(crc32(secret.slice(7, 37))).padStart(6, "0"));
      expect(isSecret(secret)).toBe(true);
      expect(secretPrefix(secret)).toBe(secret.slice(0, 12));
    }
  });

  test("is valid with any characters, also with leading zeros in the checksum", () => {
    fc.assert(fc.property(secrets, (secret) => expect([secret, isSecret(secret)]).toEqual([secret, true])));
    // Search for a checksum that is small enough for four digits.
    let random = "";
    for (let i = 0; crc32(random) >= 62 ** 4 || random === ""; i++) random = String(i).padStart(30, "0");
    expect(isSecret(`roster_${random}${base62(crc32(random)).padStart(6, "0")}`)).toBe(true);
    expect(isSecret(`roster_${random}${base62(crc32(random))}`)).toBe(false);
  });

  test("is invalid with any one character changed", () => {
    const characters = fc.oneof(
      fc.constantFrom(...DIGITS, "_", "-", " ", "\n", "é"),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(secrets, places, characters, (secret, at, character) => {
        fc.pre(character !== secret.charAt(at));
        expect(isSecret(replaced(secret, at, character))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("is invalid with any one character replaced by any other letter or digit", () => {
    const secret = createSecret();
    for (let at = 0; at < secret.length; at++) {
      for (const character of DIGITS) {
        if (character !== secret[at]) expect(isSecret(replaced(secret, at, character))).toBe(false);
      }
    }
  });

  test("is invalid with two neighbouring characters swapped", () => {
    fc.assert(
      fc.property(secrets, fc.nat({ max: 41 }), (secret, at) => {
        const [one = "", two = ""] = secret.slice(at, at + 2);
        fc.pre(one !== two);
        expect(isSecret(secret.slice(0, at) + two + one + secret.slice(at + 2))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("is invalid if characters are missing or added anywhere", () => {
    const more = fc.oneof(
      fc.constantFrom(...DIGITS, " ", "\n", "\r\n", "\u0000"),
      fc.string({ minLength: 1 }),
    );
    fc.assert(
      fc.property(secrets, places, fc.integer({ min: 1, max: 43 }), more, (secret, at, length, addition) => {
        expect(isSecret(secret.slice(0, at) + secret.slice(at + length))).toBe(false);
        expect(isSecret(secret.slice(0, at) + addition + secret.slice(at))).toBe(false);
        expect(isSecret(secret + addition)).toBe(false);
        expect(isSecret(addition + secret)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test("does not accept random text", () => {
    fc.assert(fc.property(fc.string(), (text) => expect(isSecret(text)).toBe(false)));
    const wrong = fc.array(fc.constantFrom(...DIGITS), { minLength: 36, maxLength: 36 });
    fc.assert(
      fc.property(wrong, (characters) => {
        const random = characters.slice(0, 30).join("");
        const check = characters.slice(30).join("");
        fc.pre(check !== base62(crc32(random)).padStart(6, "0"));
        expect(isSecret(`roster_${random}${check}`)).toBe(false);
      }),
    );
  });
});

const keyIds = fc.oneof(fc.constant(0), fc.integer({ min: 1 }), fc.constant(Number.MAX_SAFE_INTEGER));
const tokens = keyIds.map(createAccessToken);

describe("an access token", () => {
  test("is roster_token_, the id of the key, 30 letters and digits, and the CRC-32 of both in 6 more", () => {
    fc.assert(
      fc.property(keyIds, (id) => {
        const token = createAccessToken(id);
        const [, checked = "", checksum] =
          /^roster_token_(\d+_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(token) ?? [];
        expect(checked).toStartWith(`${id}_`);
        expect(checksum).toBe(base62(crc32(checked)).padStart(6, "0"));
        expect(readAccessTokenKey(token)).toBe(id);
        expect(looksLikeAccessToken(token)).toBe(true);
      }),
    );
  });

  test("is no key, and a key is no access token", () => {
    fc.assert(fc.property(tokens, (token) => expect(isSecret(token)).toBe(false)));
    fc.assert(
      fc.property(secrets, (secret) => {
        expect([readAccessTokenKey(secret), looksLikeAccessToken(secret)]).toEqual([undefined, false]);
      }),
    );
  });

  test("is invalid with any one character changed, missing or added", () => {
    const characters = fc.constantFrom(...DIGITS, "_", "-", " ", "\n", "é", "");
    fc.assert(
      fc.property(tokens, fc.nat({ max: 64 }), characters, (token, place, character) => {
        const at = place % token.length;
        fc.pre(character !== token[at]);
        expect(readAccessTokenKey(replaced(token, at, character))).toBeUndefined();
        if (character !== "") expect(readAccessTokenKey(token + character)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test("is found in a URL and redacted in a text, also if its end is missing", () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 0, max: 16 }), (token, missing) => {
        const part = token.slice(0, token.length - missing);
        expect(redactSecrets(`a ${part} b`)).toBe("a roster_… b");
        expect(redactSecretsInPath(`/x/${token.replaceAll("_", "%5F")}`)).toBe("/x/roster_…");
        expect(containsSecret(`/x?a=${token}`)).toBe(true);
        expect(containsSecret(`/${token.replaceAll("r", "%72")}`)).toBe(true);
      }),
    );
  });
});

describe("redacted text", () => {
  const pieces = fc.oneof(
    secrets,
    tokens,
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "roster_",
      "roster_roster_",
      "roster_token_",
      "token_7_",
      "?key=",
      "/",
      "Bearer ",
      "…",
      "A",
      "0".repeat(36),
      "_",
    ),
  );
  const texts = fc.array(pieces, { maxLength: 12 });

  test("contains no secret", () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("");
        const clean = redactSecrets(text);
        expect(containsSecret(clean)).toBe(false);
        for (const part of parts) {
          if (!isSecret(part) && readAccessTokenKey(part) === undefined) continue;
          expect(containsSecret(text)).toBe(true);
          // A part of a secret would help to guess the rest.
          const random = part.slice(part.lastIndexOf("_") + 1);
          expect(clean).not.toContain(random);
          expect(clean).not.toContain(random.slice(0, 12));
        }
        expect(redactSecrets(clean)).toBe(clean);
      }),
      { numRuns: 1000 },
    );
  });

  test("is unchanged if there was no secret", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => expect(redactSecrets(text)).toBe(text)));
    const secret = createSecret();
    expect(redactSecrets(`a ${secret} b ${secret}, c`)).toBe("a roster_… b roster_…, c");
    expect(redactSecrets(secretPrefix(secret))).toBe(secretPrefix(secret));
  });
});

describe("ten thousand secrets", () => {
  const made = Array.from({ length: MANY }, createSecret);

  test("are all different, and almost all prefixes and checksums too", () => {
    expect(new Set(made).size).toBe(MANY);
    // 62^5 prefixes and 2^32 checksums: a few of ten thousand may collide by chance.
    expect(new Set(made.map(secretPrefix)).size).toBeGreaterThan(MANY - 50);
    expect(new Set(made.map((secret) => secret.slice(37))).size).toBeGreaterThan(MANY - 10);
  });

  test("have every character equally often at every position", () => {
    /** Chi-square with 61 degrees of freedom is 61 ± 11. More than 160 is not chance. */
    const chiSquare = (characters: readonly string[]) => {
      const counts = new Map<string, number>();
      for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
      const expected = characters.length / DIGITS.length;
      return [...DIGITS].reduce(
        (sum, digit) => sum + ((counts.get(digit) ?? 0) - expected) ** 2 / expected,
        0,
      );
    };
    expect(chiSquare(made.flatMap((secret) => [...secret.slice(7, 37)]))).toBeLessThan(160);
    for (let at = 7; at < 37; at++) {
      expect(chiSquare(made.map((secret) => secret.charAt(at)))).toBeLessThan(160);
    }
  });

  test("have independent neighbouring characters", () => {
    let same = 0;
    for (const secret of made) {
      for (let at = 8; at < 37; at++) if (secret[at] === secret[at - 1]) same++;
    }
    const pairs = MANY * 29;
    const expected = pairs / 62;
    expect(Math.abs(same - expected)).toBeLessThan(8 * Math.sqrt(expected));
  });
});
