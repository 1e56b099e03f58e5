import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { SECRET_PATTERN } from "./key.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "roster_";
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
export const SECRET_CHARACTERS = PREFIX.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;
/** Characters of the secret that stay visible as its prefix. */
const VISIBLE_CHARACTERS = 5;

const digitValues = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, DIGITS.indexOf(String.fromCharCode(code))),
);

const exactSecret = new RegExp(`^${SECRET_PATTERN}$`);
const anySecret = new RegExp(SECRET_PATTERN, "g");
/** Also matches most of a secret: an attacker could guess the missing characters, and compute the checksum. */
const partialSecret = /roster_(?:(?!roster_)[0-9A-Za-z]){20,36}/g;

/** A new secret: 178 random bits and a checksum, so that a mistyped key is rejected without a lookup. */
export function createSecret(): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => DIGITS[randomInt(DIGITS.length)]).join("");
  return PREFIX + random + formatChecksum(random);
}

/** Whether the text has the form and the checksum of a secret. */
export function isSecret(text: string): boolean {
  if (!exactSecret.test(text)) return false;
  const end = PREFIX.length + RANDOM_CHARACTERS;
  let checksum = 0;
  for (let place = end; place < text.length; place++) {
    checksum = checksum * DIGITS.length + (digitValues[text.charCodeAt(place)] ?? 0);
  }
  return checksum === crc32(text.slice(PREFIX.length, end));
}

export function secretPrefix(secret: string): string {
  return secret.slice(0, PREFIX.length + VISIBLE_CHARACTERS);
}

/** Replaces secrets, even incomplete ones, for logs and responses. */
export function redactSecrets(text: string): string {
  return text.includes(PREFIX) ? text.replace(partialSecret, `${PREFIX}…`) : text;
}

/** Whether the URL contains a secret, percent-encoded or not. */
export function containsSecret(url: string): boolean {
  // Fast path for most URLs.
  if (!url.includes(PREFIX) && !url.includes("%")) return false;
  return decodeAscii(url).search(anySecret) >= 0;
}

/** Replaces secrets in a path, percent-encoded or not. */
export function redactSecretsInPath(path: string): string {
  const decoded = decodeAscii(path);
  const redacted = redactSecrets(decoded);
  return redacted === decoded ? redactSecrets(path) : redacted;
}

/** Decodes percent-encoded ASCII characters. */
function decodeAscii(url: string): string {
  return url.includes("%")
    ? url.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : url;
}

function formatChecksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
