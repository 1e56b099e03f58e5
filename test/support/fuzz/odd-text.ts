import type { Random } from "./random.ts";

/** UTF-8 bytes as a string of one character per byte. Requests are built and mutated in this form. */
export const toBytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");

const oddTexts = [
  "",
  " ",
  "Ada Lovelace",
  "ada@example.com",
  "null",
  "true",
  "undefined",
  "NaN",
  "-0",
  "0x10",
  "1e309",
  "9007199254740993",
  "-9223372036854775809",
  "00",
  "1.5",
  "constructor",
  "__proto__",
  "toString",
  "password",
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  "\\u0000",
  "%00",
  "%",
  "%zz",
  "%s%n%x",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "=1+1",
  "@SUM(A1)",
  "a,b;c\td",
  'quote"quote',
  "line\nbreak",
  "carriage\r\nreturn",
  "\u0000",
  "\u0007\u001b[31m",
  "\u007f",
  "\ufeffmark",
  "\u202eabc",
  "a\u0301\u0301\u0301",
  "ẞß",
  "ıİ",
  "ﬃ",
  "👩‍👩‍👧‍👦",
  "\u{10ffff}",
  "日本語",
  "2026-11-15T09:30:00.000Z",
  "roster_000000000000000000000000000000000000",
  "[]",
  "{}",
  "*",
  "%2e%2e%2f",
  "😀".repeat(60),
  "a".repeat(257),
  "x".repeat(300),
] as const;

const alphabets = [
  "abcdefghijklmnopqrstuvwxyz",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~",
  "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ",
  "\u0000\u0001\t\n\u000b\r\u001f\u007f\u0085\u00a0",
  "äéñßøžłİıſ",
  "日本語한국어עבריתالعربية",
  "\u0300\u0301\u200b\u200d\u202e\ufeff\ufffd\ufffe",
  "😀🏳️‍🌈👩🏽‍🚀",
] as const;

/** Text that programs tend to handle wrongly. */
export function oddText(random: Random): string {
  if (random.chance(0.5)) return random.pick(oddTexts);
  const alphabet = [...random.pick(alphabets)];
  const length = random.chance(0.05) ? random.between(100, 2000) : random.between(0, 12);
  return Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join("");
}

/** Text for a header: visible ASCII, spaces and bytes above 127. */
export function headerText(random: Random): string {
  return toBytes(oddText(random))
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
    .trim()
    .slice(0, 1000);
}

const oddNumbers = [
  "0",
  "1",
  "-1",
  "2",
  "100",
  "1000",
  "1001",
  "10000000",
  "10000001",
  "4294967296",
  "9007199254740991",
  "9007199254740992",
  "99999999999999999999",
  "1e3",
  "0.5",
  "-0",
  "+1",
  "01",
  "1 ",
  "٣",
] as const;

export function oddNumber(random: Random): string {
  return random.chance(0.4) ? String(random.between(1, 30)) : random.pick(oddNumbers);
}

/** Values of the custom field `department`. Many users share them, so that filters by them have several pages. */
export const departments = [
  "engines",
  "é",
  "日本語",
  "😀",
  "a b",
  "<x>",
  'say "hi"',
  "50%",
  "\u0080",
] as const;
