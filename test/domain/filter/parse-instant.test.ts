import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseInstant } from "../../../src/domain/filter/parse-instant.ts";
import { readTimeNaively } from "../../support/filter/naive-filter.ts";

const noon = Date.UTC(2024, 0, 31, 12);

test.each([
  ["2024-01-31", noon - 43_200_000],
  ["2024-01-31T12:00:00Z", noon],
  ["2024-01-31t12:00:00z", noon],
  ["2024-01-31T12:00:00+00:00", noon],
  ["2024-01-31T12:00:00-00:00", noon],
  ["2024-01-31T14:00:00+02:00", noon],
  ["2024-01-31T00:01:00-11:59", noon],
  ["2024-02-01T11:59:00+23:59", noon],
  ["2024-01-31T12:00:00.5Z", noon + 500],
  ["2024-01-31T12:00:00.123999999999Z", noon + 123],
  ["2024-01-31T12:00:59.999Z", noon + 59_999],
  ["2024-02-29", Date.UTC(2024, 1, 29)],
  ["2000-02-29", Date.UTC(2000, 1, 29)],
  ["1970-01-01", 0],
  ["1969-12-31T23:59:59.999Z", -1],
  ["0000-01-01", -62_167_219_200_000],
  ["9999-12-31T23:59:59.999Z", 253_402_300_799_999],
])("%s is a time", (text, time) => {
  expect(parseInstant(text)).toBe(time);
});

test.each([
  "",
  "2024",
  "2024-01",
  "2024-1-31",
  "24-01-31",
  "2024/01/31",
  "20240131",
  " 2024-01-31",
  "2024-01-31 ",
  "2024-01-31T",
  "2024-01-31T12",
  "2024-01-31T12:00Z",
  "2024-01-31T12:00:00",
  "2024-01-31 12:00:00Z",
  "2024-01-31T12:00:00.Z",
  "2024-01-31T12:00:00,5Z",
  "2024-01-31T12:00:00ZZ",
  "2024-01-31T12:00:00+02",
  "2024-01-31T12:00:00+0200",
  "2024-01-31T12:00:00+24:00",
  "2024-01-31T12:00:00+02:60",
  "2024-01-31T12:00:00+02:00Z",
  "2024-01-31T24:00:00Z",
  "2024-01-31T12:60:00Z",
  "2024-12-31T23:59:60Z",
  "2024-13-01",
  "2024-00-01",
  "2024-01-00",
  "2024-01-32",
  "2024-04-31",
  "2023-02-29",
  "1900-02-29",
  "+002024-01-31",
  "-2024-01-31",
  "２０２４-01-31",
  "2024-01-31T12:00:00−02:00",
])("%j is not a time", (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test("reads every time that a date object writes", () => {
  const years = { min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(years), (date) => {
      expect(parseInstant(date.toISOString())).toBe(date.getTime());
    }),
    { numRuns: 1000 },
  );
});

test("reads texts that look like times as the naive parser does", () => {
  const digits = (count: number) => fc.stringMatching(new RegExp(`^[0-9]{${count}}$`));
  const few = (maximum: number) => fc.nat(maximum).map((number) => String(number).padStart(2, "0"));
  const text = fc
    .tuple(
      digits(4),
      fc.constantFrom("-", "/"),
      few(13),
      few(32),
      fc.constantFrom("T", "t", " ", ""),
      few(24),
      few(60),
      few(60),
      fc.constantFrom("", ".", ".1", ".1239"),
      fc.constantFrom("Z", "z", "+", "-", ""),
      few(24),
      fc.constantFrom("", ":00", ":59", ":60"),
    )
    .map(([year, hyphen, month, day, t, hours, minutes, seconds, fraction, zone, offset, end]) => {
      const date = `${year}-${month}${hyphen}${day}`;
      const time = `${hours}:${minutes}:${seconds}${fraction}${zone}`;
      return `${date}${t}${time}${/[+-]/.test(zone) ? offset + end : ""}`;
    });
  fc.assert(
    fc.property(text, (value) => {
      expect(parseInstant(value)).toBe(readTimeNaively(value));
      expect(parseInstant(value.slice(0, 10))).toBe(readTimeNaively(value.slice(0, 10)));
    }),
    { numRuns: 1000 },
  );
});
