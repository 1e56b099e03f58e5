import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { ACCESS_TOKEN_PATTERN, SECRET_PATTERN } from "./key.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "roster_";
const ACCESS_TOKEN_PREFIX = `${PREFIX}token_`;
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
export const SECRET_CHARACTERS = PREFIX.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;
/** Characters of the secret that stay visible as its prefix. */
const VISIBLE_CHARACTERS = 5;

const digitValues = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, DIGITS.indexOf(String.fromCharCode(code))),
);

const exactSecret = new RegExp(`^${SECRET_PATTERN}$`);
const exactAccessToken = new RegExp(`^${ACCESS_TOKEN_PATTERN}$`);
const anySecret = new RegExp(`${SECRET_PATTERN}|${ACCESS_TOKEN_PATTERN}`);
/** Also matches most of a secret: an attacker could guess the missing characters, and compute the checksum. */
const partialSecret = /roster_(?:token_[0-9]{1,16}_)?(?:(?!roster_)[0-9A-Za-z]){20,36}/g;

/** A new secret: 178 random bits and a checksum, so that a mistyped key is rejected without a lookup. */
export function createSecret(): string {
  return PREFIX + withChecksum(randomText());
}

/** A new access token of a key. Its form tells it from a key. */
export function createAccessToken(keyId: number): string {
  return ACCESS_TOKEN_PREFIX + withChecksum(`${keyId}_${randomText()}`);
}

/** Whether the text has the form and the checksum of a secret. */
export function isSecret(text: string): boolean {
  return exactSecret.test(text) && hasChecksum(text.slice(PREFIX.length));
}

/** Whether the text is meant to be an access token, and no key. */
export function looksLikeAccessToken(text: string): boolean {
  return text.startsWith(ACCESS_TOKEN_PREFIX);
}

/** The id of the key in a text that has the form and the checksum of an access token, else undefined. */
export function readAccessTokenKey(text: string): number | undefined {
  if (!exactAccessToken.test(text)) return undefined;
  const checked = text.slice(ACCESS_TOKEN_PREFIX.length);
  return hasChecksum(checked) ? Number(checked.slice(0, checked.indexOf("_"))) : undefined;
}

export function secretPrefix(secret: string): string {
  return secret.slice(0, PREFIX.length + VISIBLE_CHARACTERS);
}

/** Replaces secrets and access tokens, even incomplete ones, for logs and responses. */
export function redactSecrets(text: string): string {
  return text.includes(PREFIX) ? text.replace(partialSecret, `${PREFIX}…`) : text;
}

/** Whether the URL contains a secret or an access token, percent-encoded or not. */
export function containsSecret(url: string): boolean {
  // Fast path for most URLs.
  if (!url.includes(PREFIX) && !url.includes("%")) return false;
  return anySecret.test(decodeAscii(url));
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

function randomText(): string {
  return Array.from({ length: RANDOM_CHARACTERS }, () => DIGITS[randomInt(DIGITS.length)]).join("");
}

function withChecksum(text: string): string {
  return text + formatChecksum(text);
}

function hasChecksum(text: string): boolean {
  const end = text.length - CHECKSUM_CHARACTERS;
  let checksum = 0;
  for (let place = end; place < text.length; place++) {
    checksum = checksum * DIGITS.length + (digitValues[text.charCodeAt(place)] ?? 0);
  }
  return checksum === crc32(text.slice(0, end));
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
