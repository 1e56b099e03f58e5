import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { SampleUsers } from "../../src/sample-users/sample-users.ts";

test("a seed creates the same users in every version: roster seed continues what an earlier one began", () => {
  const samples = new SampleUsers(1);
  const users = Array.from({ length: 10_000 }, (_, index) => samples.create(index + 1));
  const digest = createHash("sha256").update(JSON.stringify(users)).digest("hex");
  expect(digest).toBe("b46e57afce4a491571c52e78d9a98593f0de2e5074e69cac338c28c299b3e544");
});
