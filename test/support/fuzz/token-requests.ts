import { GRANT_TYPE } from "../../../src/contract/keys/access-token-operations.ts";
import { headerText, oddText, toBytes } from "./odd-text.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import type { Random } from "./random.ts";
import type { FuzzCredential } from "./target.ts";

/** The id and the secret of a client: of a key, of no key, or of two. */
function createClient(random: Random, credentials: readonly FuzzCredential[]): readonly [string, string] {
  const any = () => credentials[random.below(credentials.length)];
  const { keyId, secret } = any() ?? { keyId: 7, secret: PLANTED_SECRET };
  const id = String(keyId ?? random.below(20));
  return random.weighted({ own: 12, other: 2, unknown: 3, odd: 2 }) === "own"
    ? [id, secret]
    : random.pick<readonly [string, string]>([
        [String(any()?.keyId ?? 1), secret],
        [id, PLANTED_SECRET],
        [oddText(random), PLANTED_SECRET],
        [id, oddText(random)],
        ["", secret],
      ]);
}

/** The value of a form, or nearly. */
function encodeValue(random: Random, text: string): string {
  if (random.chance(0.9)) return encodeURIComponent(text.toWellFormed());
  return random.pick([
    toBytes(text),
    `${encodeURIComponent(text.toWellFormed())}%`,
    `%zz${toBytes(text)}`,
    "%ff%fe",
  ]);
}

/** The parameters of a form, one character per byte. */
function createForm(random: Random, parameters: readonly (readonly [string, string])[]): string {
  const pairs = parameters.map(([name, value]) => `${name}=${encodeValue(random, value)}`);
  const [first] = pairs;
  if (first !== undefined && random.chance(0.06)) pairs.push(first);
  if (random.chance(0.1))
    pairs.push(random.pick(["scope=users%3Aread", "scope=", "=", "&&", "a", "client_id="]));
  return pairs.join(random.chance(0.97) ? "&" : ";");
}

/** An Authorization header of a client, mostly well-formed. */
function createBasic(random: Random, [id, secret]: readonly [string, string]): string {
  const encode = (text: string) => (random.chance(0.8) ? text : encodeURIComponent(text.toWellFormed()));
  const text = random.chance(0.95)
    ? `${encode(id)}:${encode(secret)}`
    : random.pick([id, ":", `${id}:`, "\u0000:%zz"]);
  const base64 = Buffer.from(text).toString("base64");
  return random.chance(0.93)
    ? `${random.pick(["Basic", "basic", "BASIC"])} ${base64}`
    : random.pick([
        `Basic ${base64.slice(1)}`,
        "Basic",
        "Basic ====",
        `Basic  ${base64}`,
        `Bearer ${headerText(random)}`,
      ]);
}

/** What a client sends for an access token (RFC 6749, section 4.4). */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly body: string;
}

export function createTokenRequest(random: Random, credentials: readonly FuzzCredential[]): TokenRequest {
  const client = createClient(random, credentials);
  const grant = random.chance(0.9)
    ? GRANT_TYPE
    : random.pick(["password", "", "refresh_token", oddText(random)]);
  const parameters: [string, string][] = random.chance(0.97) ? [["grant_type", grant]] : [];
  const place = random.weighted({ header: 10, form: 10, both: 2, none: 2 });
  if (place === "form" || place === "both") {
    parameters.push(["client_id", client[0]]);
    if (random.chance(0.97)) parameters.push(["client_secret", client[1]]);
  }
  return {
    authorization: place === "header" || place === "both" ? createBasic(random, client) : undefined,
    body: random.chance(0.98)
      ? createForm(random, parameters)
      : "x".repeat(random.pick([1, 8192, 8193, 70_000])),
  };
}
