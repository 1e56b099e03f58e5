/**
 * The time of an RFC 3339 date or date-time, in milliseconds since 1970; undefined for any other text. A date means midnight
 * UTC. A date-time needs `Z` or an offset. Digits after milliseconds are ignored.
 */
export function parseInstant(text: string): number | undefined {
  if (text.length < DATE_LENGTH || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) {
    return undefined;
  }
  const year = readDigits(text, 0, 4);
  const month = readDigits(text, 5, 2);
  const day = readDigits(text, 8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  const midnight = daysSince1970(year, month, day) * DAY;
  if (text.length === DATE_LENGTH) return midnight;
  const time = TIME.exec(text.slice(DATE_LENGTH));
  if (!time) return undefined;
  const [, hours, minutes, seconds, fraction = "", sign, offsetHours, offsetMinutes] = time;
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * timeOf(offsetHours, offsetMinutes);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
  return midnight + timeOf(hours, minutes, seconds) + milliseconds - offset;
}

const DATE_LENGTH = "2024-01-31".length;
const HYPHEN = 0x2d;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The part after the date. A leap second is not accepted. */
const TIME = /^[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

function timeOf(hours = "0", minutes = "0", seconds = "0"): number {
  return Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
}

/** Negative if one of the characters is not a digit. */
function readDigits(text: string, start: number, count: number): number {
  let number = 0;
  for (let i = start; i < start + count; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** `Date.UTC` would take the years 0 to 99 for 1900 to 1999. */
function daysSince1970(year: number, month: number, day: number): number {
  // Years start in March here, so that a leap day is the last day of a year.
  const shifted = month > 2 ? year : year - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day;
  return shifted * 365 + leapDays + dayOfYear - DAYS_BEFORE_1970;
}

/** From 1 March of year 0, plus one because days of a month start at 1. */
const DAYS_BEFORE_1970 = 719_469;
