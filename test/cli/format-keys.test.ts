import { expect, test } from "bun:test";
import { formatKeys } from "../../src/cli/output/format-keys.ts";
import type { Key } from "../../src/contract/key-schemas.ts";

const now = Date.parse("2026-05-15T12:00:00Z");
const hence = (ms: number) => new Date(now + ms).toISOString();
const DAY = 86_400_000;

function key(id: number, name: string, about: Partial<Key>): Key {
  return {
    id,
    name,
    prefix: "roster_5xGp2",
    scopes: ["users:read"],
    createdAt: hence(-12 * DAY),
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
  key(1, "ci", { lastUsedAt: hence(-300_000), usage: { month: "2026-05", requests: 1234 } }),
  key(2, "web", { expiresAt: hence(29.9 * DAY), quota: 100_000, scopes: ["users:read", "users:write"] }),
  key(3, "old", { expiresAt: hence(-1), scopes: ["users:read", "users:write", "keys:manage"] }),
  key(4, "lost", { expiresAt: hence(DAY), revokedAt: hence(-DAY) }),
];

test("keys are shown with what they may do, how much they are used, and whether they are in force", () => {
  expect(formatKeys(keys, now, 120).split("\n")).toEqual([
    "ID  NAME  KEY            SCOPES                  CREATED  LAST USED  CALLS IN MAY  STATE",
    " 1  ci    roster_5xGp2…  users:read              12d ago  5m ago     1,234         in force",
    " 2  web   roster_5xGp2…  users:read users:write  12d ago  never      0 of 100,000  expires in 30d",
    " 3  old   roster_5xGp2…  all                     12d ago  never      0             expired",
    " 4  lost  roster_5xGp2…  users:read              12d ago  never      0             revoked",
    "",
  ]);
});

test("on a terminal of 80 columns they fit", () => {
  expect(formatKeys(keys, now, 80).split("\n")).toEqual([
    "ID  NAME  KEY            SCOPES       CREATED  LAST USED  CALLS IN MAY  STATE",
    " 1  ci    roster_5xGp2…  users:read   12d ago  5m ago     1,234         in force",
    " 2  web   roster_5xGp2…  users:read   12d ago  never      0 of 100,000  expires",
    "                         users:write                                    in 30d",
    " 3  old   roster_5xGp2…  all          12d ago  never      0             expired",
    " 4  lost  roster_5xGp2…  users:read   12d ago  never      0             revoked",
    "",
  ]);
});

test("a name cannot rearrange the line that it is in", () => {
  expect(formatKeys([key(1, "a\u202eb\u2066c", {})], now, 120)).toContain("  a\ufffdb\ufffdc  ");
});
