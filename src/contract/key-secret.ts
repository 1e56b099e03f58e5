import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { SECRET_PATTERN } from "./key.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "roster_";
const RANDOM = 30;
const CHECK = 6;
/** How much of a key is kept to recognise it by. */
const SHOWN = 5;

const values = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, DIGITS.indexOf(String.fromCharCode(code))),
);

const whole = new RegExp(`^${SECRET_PATTERN}$`);
const within = new RegExp(SECRET_PATTERN, "g");
/** Of a key that lacks a few characters the rest can be found out, the checksum to begin with. */
const mostOf = /roster_(?:(?!roster_)[0-9A-Za-z]){20,36}/g;

/** A new key: 178 random bits, and a checksum by which a mistyped one is known without looking it up. */
export function createSecret(): string {
  const random = Array.from({ length: RANDOM }, () => DIGITS[randomInt(DIGITS.length)]).join("");
  return PREFIX + random + checksum(random);
}

/** Whether a text could be a key: most of what is not one is refused here, at no cost. */
export function isSecret(text: string): boolean {
  if (!whole.test(text)) return false;
  const end = PREFIX.length + RANDOM;
  let stated = 0;
  for (let place = end; place < text.length; place++) {
    stated = stated * DIGITS.length + (values[text.charCodeAt(place)] ?? 0);
  }
  return stated === crc32(text.slice(PREFIX.length, end));
}

export function secretPrefix(secret: string): string {
  return secret.slice(0, PREFIX.length + SHOWN);
}

/** The text without any keys that are in it, whole or nearly so: for logs, and for whatever is sent back. */
export function redactSecrets(text: string): string {
  return text.includes(PREFIX) ? text.replace(mostOf, `${PREFIX}…`) : text;
}

/** Whether a key stands anywhere in a URL, in whatever way it is encoded. */
export function containsSecret(url: string): boolean {
  // Most have neither, and are known by that at next to no cost.
  if (!url.includes(PREFIX) && !url.includes("%")) return false;
  return plain(url).search(within) >= 0;
}

/** The path of a URL without any keys that are in it. */
export function redactSecretsInPath(path: string): string {
  return path.includes("%") && redactSecrets(plain(path)) !== plain(path)
    ? redactSecrets(plain(path))
    : redactSecrets(path);
}

/** As it is meant, if its letters are written as codes. Most have none, and cost nothing. */
function plain(url: string): string {
  return url.includes("%")
    ? url.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : url;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECK; place++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
