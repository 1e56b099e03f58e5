import { headerText, toBytes } from "./odd-text.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import type { Random } from "./random.ts";
import type { FuzzCredential, FuzzTarget } from "./target.ts";

export type Header = [name: string, value: string];

/** Values for headers that the service or the HTTP server reads. */
const headerValues: Record<string, (random: Random, target: FuzzTarget) => string> = {
  Accept: (random) =>
    random
      .several(1, 3, () => random.pick(mediaRanges) + random.pick(["", "", ";q=0", ";q=0.5", ";q=x"]))
      .join(", "),
  "Accept-Encoding": (random) =>
    random.several(1, 3, () => random.pick(codings) + random.pick(["", ";q=0", ";q=1.0"])).join(", "),
  "If-Match": etags,
  "If-None-Match": etags,
  "Idempotency-Key": (random) =>
    random.chance(0.7)
      ? `key-${random.below(200)}`
      : random.pick(['"quoted"', '"', "", "x".repeat(255), "x".repeat(300)]),
  "X-Request-Id": (random) => random.pick(["abc", "a b", "x".repeat(129), "../../x"]),
  Origin: (random) =>
    random.pick(["https://app.example", "https://evil.example", "null", "http://localhost"]),
  "Sec-Fetch-Site": (random) => random.pick(["same-origin", "cross-site", "none", "same-site", "x"]),
  "X-Forwarded-For": (random) =>
    random.pick(["10.0.0.1", "1.2.3.4, 127.0.0.1", "::1", "unknown", "a, b, c, d"]),
  "X-Forwarded-Proto": (random) => random.pick(["https", "http", "ftp", "https, http", ""]),
  "X-Forwarded-Host": (random) => random.pick(["roster.example", "a\\b", "evil.example:99999", "é"]),
  Forwarded: (random) => random.pick(["for=1.2.3.4;proto=https;host=x", "for=_hidden", ";;;"]),
  Cookie: (random) => random.pick(["roster_session_3000=x", "a=b; a=c", "=", "roster_session=;;"]),
  "X-Session-Token": (random) => random.pick(["x", "a".repeat(86), ""]),
  "Access-Control-Request-Method": (random) => random.pick(["POST", "DELETE", "X"]),
  "Access-Control-Request-Headers": (random) => random.pick(["content-type", "x, y, z"]),
  Range: (random) => random.pick(["bytes=0-1", "bytes=-1", "bytes=9-1", "lines=1-2"]),
  "If-Modified-Since": (random) => random.pick(["Sun, 15 Nov 2026 09:30:00 GMT", "yesterday"]),
  Prefer: (random) => random.pick(["return=minimal", "respond-async"]),
  Connection: (random) => random.pick(["close", "keep-alive", "x-request-id"]),
  TE: (random) => random.pick(["trailers", "gzip"]),
  "Accept-Language": (random) => random.pick(["de", "*", "x;q=9"]),
};

const mediaRanges = [
  "*/*",
  "application/json",
  "application/*",
  "text/csv",
  "text/*",
  "text/html",
  "application/x-ndjson",
  "application/problem+json",
  "application/scim+json",
  "image/png",
  "nonsense",
  "",
] as const;
const codings = ["gzip", "br", "zstd", "identity", "deflate", "*", "x", ""] as const;

function etags(random: Random): string {
  const etag = () =>
    random.pick(['"1"', '"2"', 'W/"1"', "*", '"', '""', "1", '"01"', '"99999999999999999999"', ","]);
  return random.several(1, random.chance(0.02) ? 200 : 3, etag).join(", ");
}

/** The headers of a request, apart from those of its body. */
export interface RequestHead {
  readonly headers: Header[];
  /** What the request has of a caller. */
  readonly credential: FuzzCredential | undefined;
}

export function createHead(random: Random, target: FuzzTarget, version: string): RequestHead {
  const headers: Header[] = [];
  if (version === "HTTP/1.1" || random.chance(0.5)) headers.push(["Host", createHost(random, target)]);
  const credential = random.chance(0.95)
    ? target.credentials[random.below(target.credentials.length)]
    : undefined;
  if (credential) {
    const { secret } = credential;
    headers.push(random.chance(0.7) ? ["Authorization", `Bearer ${secret}`] : ["X-API-Key", secret]);
  } else if (random.chance(0.1)) {
    const other = [
      "Basic eDp5",
      "Bearer",
      "Bearer x",
      `Bearer ${PLANTED_SECRET}`,
      `Bearer ${headerText(random)}`,
    ] as const;
    headers.push(["Authorization", random.pick(other)]);
  }
  // Wrong keys are limited for each address.
  if (credential?.isActive === false && random.chance(0.8))
    headers.push(["X-Forwarded-For", address(random)]);
  for (let count = random.below(4); count > 0; count--) {
    const names = Object.keys(headerValues);
    const name = names[random.below(names.length)] ?? "Accept";
    if (headers.some(([existing]) => existing === name)) continue;
    const value = random.chance(0.1) ? headerText(random) : headerValues[name]?.(random, target);
    headers.push([random.chance(0.1) ? name.toLowerCase() : name, toBytes(value ?? "")]);
  }
  if (random.chance(0.02)) headers.push([`X-${random.below(100)}`, headerText(random)]);
  return { headers, credential };
}

/** An address that few other requests have. */
export const address = (random: Random) =>
  ["10", ...Array.from({ length: 3 }, () => random.below(256))].join(".");

function createHost(random: Random, target: FuzzTarget): string {
  if (random.chance(0.95)) return target.host;
  const port = target.host.split(":")[1];
  return random.pick([
    `localhost:${port}`,
    "localhost",
    "roster.example",
    `[::1]:${port}`,
    "127.0.0.1",
    "LOCALHOST",
    "",
  ]);
}
