import { expect, test } from "bun:test";
import { formatKeys } from "../../src/cli/output/format-keys.ts";
import { scopes } from "../../src/contract/keys/key.ts";
import type { Key } from "../../src/contract/keys/key-schemas.ts";

const now = Date.parse("2026-05-15T12:00:00Z");
const timeAfter = (ms: number) => new Date(now + ms).toISOString();
const DAY = 86_400_000;

function key(id: number, name: string, about: Partial<Key>): Key {
  return {
    id,
    name,
    prefix: "roster_5xGp2",
    scopes: ["users:read"],
    createdAt: timeAfter(-12 * DAY),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    rateLimit: null,
    quota: null,
    usage: { month: "2026-05", requests: 0 },
    ...about,
  };
}

const keys = [
  key(1, "ci", { lastUsedAt: timeAfter(-300_000), usage: { month: "2026-05", requests: 1234 } }),
  key(2, "web", { expiresAt: timeAfter(29.9 * DAY), quota: 100_000, scopes: ["users:read", "users:write"] }),
  key(3, "old", { expiresAt: timeAfter(-1), scopes: [...scopes] }),
  key(4, "lost", { expiresAt: timeAfter(DAY), revokedAt: timeAfter(-DAY) }),
];

test("shows the scopes, the usage and the state of keys", () => {
  expect(formatKeys(keys, now, 120).split("\n")).toEqual([
    "ID  NAME  KEY            SCOPES                  CREATED  LAST USED  CALLS IN MAY  STATE",
    " 1  ci    roster_5xGp2…  users:read              12d ago  5m ago     1,234         active",
    " 2  web   roster_5xGp2…  users:read users:write  12d ago  never      0 of 100,000  expires in 30d",
    " 3  old   roster_5xGp2…  all                     12d ago  never      0             expired",
    " 4  lost  roster_5xGp2…  users:read              12d ago  never      0             revoked",
    "",
  ]);
});

test("fits a terminal of 80 columns", () => {
  expect(formatKeys(keys, now, 80).split("\n")).toEqual([
    "ID  NAME  KEY            SCOPES       CREATED  LAST USED  CALLS IN MAY  STATE",
    " 1  ci    roster_5xGp2…  users:read   12d ago  5m ago     1,234         active",
    " 2  web   roster_5xGp2…  users:read   12d ago  never      0 of 100,000  expires",
    "                         users:write                                    in 30d",
    " 3  old   roster_5xGp2…  all          12d ago  never      0             expired",
    " 4  lost  roster_5xGp2…  users:read   12d ago  never      0             revoked",
    "",
  ]);
});

test("replaces characters in a name that would reorder the line", () => {
  expect(formatKeys([key(1, "a\u202eb\u2066c", {})], now, 120)).toContain("  a\ufffdb\ufffdc  ");
});
