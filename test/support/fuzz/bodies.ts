import { brotliCompressSync, deflateSync } from "node:zlib";
import { jsonObject, jsonValue, validValue } from "./json-text.ts";
import { departments, oddNumber, oddText, toBytes } from "./odd-text.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import type { Random } from "./random.ts";

const email = (random: Random) => random.weighted({ new: 6, same: 2, odd: 2, value: 1, none: 4 } as const);

function userJson(random: Random): string {
  const fields: Record<string, string> = {
    name: random.chance(0.8) ? JSON.stringify(`User ${random.below(1000)}`) : jsonValue(random),
  };
  const kind = email(random);
  if (kind === "new") fields.email = `"user${random.below(1_000_000)}@example.com"`;
  if (kind === "same") fields.email = '"ada@example.com"';
  if (kind === "odd") fields.email = JSON.stringify(`${oddText(random)}@${oddText(random)}`);
  if (kind === "value") fields.email = jsonValue(random);
  if (random.chance(0.2))
    fields.userName = random.chance(0.7) ? `"user${random.below(100)}"` : jsonValue(random);
  if (random.chance(0.05)) fields[random.pick(["scim", "groups"])] = jsonValue(random);
  if (random.chance(0.3)) fields.department = JSON.stringify(random.pick(departments));
  for (let count = random.below(4); count > 0; count--) {
    const odd = random.chance(0.1) ? oddText(random) : `field${random.below(40)}`;
    const name = random.pick(["level", "active", "age", "version", "createdAt", odd, odd]);
    fields[name] = random.chance(0.7) ? validValue(random) : jsonValue(random);
  }
  if (random.chance(0.05)) fields.password = JSON.stringify(PLANTED_SECRET);
  if (random.chance(0.01)) for (let field = 0; field < 300; field++) fields[`f${field}`] = "1";
  return jsonObject(random, fields);
}

function groupJson(random: Random): string {
  const names = [`"Group ${random.below(1000)}"`, '"Sales"', JSON.stringify(oddText(random))] as const;
  const fields: Record<string, string> = {
    name: random.chance(0.9) ? random.pick(names) : jsonValue(random),
  };
  if (random.chance(0.1))
    fields[random.pick(["members", "rule", "groups", "memberCount"])] = jsonValue(random);
  if (random.chance(0.3)) fields.region = JSON.stringify(random.pick(departments));
  if (random.chance(0.2)) fields[oddText(random)] = jsonValue(random);
  return jsonObject(random, fields);
}

function membersJson(random: Random): string {
  const id = () =>
    random.chance(0.8)
      ? String(random.between(1, 200))
      : random.chance(0.7)
        ? oddNumber(random)
        : jsonValue(random);
  const list = () =>
    random.chance(0.9)
      ? `[${random.several(0, random.chance(0.03) ? 1200 : 6, id).join(",")}]`
      : jsonValue(random);
  const fields: Record<string, string> = {};
  if (random.chance(0.8)) fields.add = list();
  if (random.chance(0.5)) fields.remove = list();
  if (random.chance(0.05)) fields[oddText(random)] = jsonValue(random);
  return jsonObject(random, fields);
}

function keyJson(random: Random): string {
  const or = (valid: string) => (random.chance(0.85) ? valid : jsonValue(random));
  const fields: Record<string, string> = {
    name: or(JSON.stringify(`Key ${random.below(100)}`)),
    scopes: or(random.pick(['["users:read"]', '["users:write","keys:manage"]', "[]", '["other"]'])),
  };
  if (random.chance(0.3))
    fields.expiresAt = or(random.pick(['"2030-01-01T00:00:00Z"', '"2001-01-01"', "null"]));
  if (random.chance(0.3)) fields.rateLimit = or(`{"requests":${oddNumber(random)},"seconds":60}`);
  if (random.chance(0.2)) fields.quota = or(oddNumber(random));
  if (random.chance(0.1)) fields.replaces = or(oddNumber(random));
  if (random.chance(0.1)) fields.graceSeconds = or(oddNumber(random));
  if (random.chance(0.05)) fields[oddText(random)] = jsonValue(random);
  return jsonObject(random, fields);
}

function webhookJson(random: Random): string {
  const or = (valid: string) => (random.chance(0.85) ? valid : jsonValue(random));
  const urls = [
    '"https://hooks.example.com/"',
    '"https://0x7f.1/"',
    '"http://[::ffff:10.0.0.1]/"',
    '"https://"',
  ] as const;
  const fields: Record<string, string> = {
    url: or(random.chance(0.8) ? random.pick(urls) : JSON.stringify(`https://${oddText(random)}`)),
    types: or(random.pick(['["user.*"]', '["*","key.created"]', "[]", '["other.*"]'])),
  };
  if (random.chance(0.3)) fields.description = or(JSON.stringify(oddText(random)));
  if (random.chance(0.3)) fields.active = or("false");
  if (random.chance(0.3)) fields.filter = or(JSON.stringify(`name eq ${JSON.stringify(oddText(random))}`));
  if (random.chance(0.05)) fields[oddText(random)] = jsonValue(random);
  return jsonObject(random, fields);
}

/** A body of JSON, or of something like it. */
export function jsonBody(random: Random, create: () => string): string {
  if (random.chance(0.08)) return toBytes(jsonValue(random));
  if (random.chance(0.01)) return "";
  const text = create();
  return toBytes(random.chance(0.02) ? `\ufeff${text}` : text);
}

/** The JSON that fits a path of the API, or that of a user. */
export function apiJson(random: Random, path: string, key: string): string {
  if (path.startsWith("/api/keys")) return keyJson(random);
  if (path.startsWith("/api/webhooks")) return webhookJson(random);
  if (/^\/api\/groups\/.*members/.test(path)) return membersJson(random);
  if (path.startsWith("/api/groups")) return groupJson(random);
  if (path.startsWith("/api/session"))
    return jsonObject(random, { key: random.chance(0.5) ? `"${key}"` : jsonValue(random) });
  return userJson(random);
}

/** A line of an import of memberships. */
function membershipJson(random: Random): string {
  const reference = (names: readonly [string, ...string[]]) =>
    random.chance(0.6)
      ? String(random.between(1, 200))
      : random.chance(0.6)
        ? random.pick(names)
        : random.pick([oddNumber(random), jsonValue(random), JSON.stringify(oddText(random))]);
  const fields: Record<string, string> = {
    group: reference(['"Sales"', '"sALES "']),
    user: reference(['"ada@example.com"', `"user${random.below(100)}"`]),
  };
  if (random.chance(0.05)) fields[oddText(random)] = jsonValue(random);
  return jsonObject(random, fields);
}

/** Lines of the import at this path. */
export function ndjsonBody(random: Random, path: string): string {
  const [, resource = ""] = /^\/api\/([a-z]+)/.exec(path) ?? [];
  const toJson = { groups: groupJson, memberships: membershipJson }[resource] ?? userJson;
  const end = random.pick(["\n", "\n", "\n", "\r\n", "\n\n", "\r"]);
  const line = () => (random.chance(0.9) ? toJson(random) : random.pick(["", "{", "[]", oddText(random)]));
  const lines = random.several(0, random.chance(0.03) ? 600 : 12, line);
  return toBytes(lines.join(end) + (random.chance(0.5) ? end : ""));
}

export function csvBody(random: Random): string {
  const separator = random.pick([",", ",", ";", "\t", "|"]);
  const end = random.pick(["\r\n", "\n", "\r", "\n"]);
  const names = ["name", "email", "userName", "department", "level", "_more", "id", "name", ""] as const;
  const column = () => (random.chance(0.9) ? random.pick(names) : oddText(random));
  const header = random.chance(0.8)
    ? ["name", ...random.several(0, 4, column)]
    : random.several(0, 6, column);
  const quote = (text: string) =>
    /["\r\n]/.test(text) && random.chance(0.9) ? `"${text.replaceAll('"', '""')}"` : text;
  const cell = () =>
    quote(
      random.chance(0.5)
        ? `Cell ${random.below(50)}`
        : random.chance(0.5)
          ? oddText(random)
          : jsonValue(random),
    );
  const row = () =>
    random.chance(0.9)
      ? header.map(cell)
      : random.several(0, 8, () => (random.chance(0.1) ? '"open' : cell()));
  const rows = [header, ...random.several(0, random.chance(0.03) ? 600 : 10, row)];
  const mark = random.chance(0.1) ? "\ufeff" : "";
  return toBytes(
    mark + rows.map((cells) => cells.join(separator)).join(end) + (random.chance(0.5) ? end : ""),
  );
}

const encoders: Record<string, (bytes: Buffer<ArrayBuffer>) => Uint8Array> = {
  gzip: (bytes) => Bun.gzipSync(bytes),
  zstd: (bytes) => Bun.zstdCompressSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  identity: (bytes) => bytes,
};

/** A body with a Content-Encoding. The body may be damaged, or not encoded that way. */
export function encodeBody(random: Random, body: string): { encoding: string; body: string } {
  const encoding = random.pick([
    "gzip",
    "zstd",
    "gzip",
    "zstd",
    "deflate",
    "br",
    "identity",
    "gzip, gzip",
    "GZIP",
    "x",
  ]);
  // A small body that unpacks to a large one.
  const plain = random.chance(0.05) ? "[".repeat(4_000_000) : body;
  const encode = encoders[encoding.toLowerCase()] ?? encoders[random.pick(["gzip", "identity"])];
  const encoded = Buffer.from(encode?.(Buffer.from(plain, "latin1")) ?? []).toString("latin1");
  if (random.chance(0.8)) return { encoding, body: encoded };
  const at = random.below(encoded.length + 1);
  const damaged = random.chance(0.5)
    ? encoded.slice(0, at)
    : `${encoded.slice(0, at)}?${encoded.slice(at + 1)}`;
  return { encoding, body: damaged };
}
