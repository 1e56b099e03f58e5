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
  const time = readTime(text);
  return time === undefined ? undefined : midnight + time;
}

/** The milliseconds from midnight UTC of the date to the time after it. */
function readTime(text: string): number | undefined {
  if ((text.charCodeAt(10) | LOWER_CASE) !== LETTER_T || text.charCodeAt(16) !== COLON) return undefined;
  const minutes = readMinutes(text, 11);
  const seconds = readDigits(text, 17, 2);
  // A leap second is not accepted.
  if (minutes < 0 || seconds < 0 || seconds > 59) return undefined;
  let end = 19;
  let milliseconds = 0;
  if (text.charCodeAt(end) === POINT) {
    end += 1;
    let unit = 100;
    for (let digit = readDigits(text, end, 1); digit >= 0; digit = readDigits(text, end, 1)) {
      milliseconds += digit * unit;
      unit = unit > 1 ? unit / 10 : 0;
      end += 1;
    }
    if (end === 20) return undefined;
  }
  const offset = readOffset(text, end);
  return offset === undefined ? undefined : (minutes - offset) * MINUTE + seconds * SECOND + milliseconds;
}

/** The minutes of the offset from UTC, which is the last part. */
function readOffset(text: string, start: number): number | undefined {
  const first = text.charCodeAt(start);
  if ((first | LOWER_CASE) === LETTER_Z) return text.length === start + 1 ? 0 : undefined;
  if ((first !== PLUS && first !== HYPHEN) || text.length !== start + 6) return undefined;
  const minutes = readMinutes(text, start + 1);
  if (minutes < 0) return undefined;
  return first === PLUS ? minutes : -minutes;
}

/** The minutes of `hh:mm`; negative if there is no such time. */
function readMinutes(text: string, start: number): number {
  const hours = readDigits(text, start, 2);
  const minutes = readDigits(text, start + 3, 2);
  if (text.charCodeAt(start + 2) !== COLON || hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
    return -1;
  return hours * 60 + minutes;
}

const DATE_LENGTH = "2024-01-31".length;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x74;
const LETTER_Z = 0x7a;
/** The bit that makes an ASCII letter lower case. */
const LOWER_CASE = 0x20;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Negative if one of the characters is missing or not a digit. */
function readDigits(text: string, start: number, count: number): number {
  let number = 0;
  for (let i = start; i < start + count; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
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
