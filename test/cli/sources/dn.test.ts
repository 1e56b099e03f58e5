import { expect, test } from "bun:test";
import { normalizeDn } from "../../../src/cli/sources/dn.ts";

test.each([
  ["uid=ada,ou=people,dc=example", "UID=Ada, OU = People ,DC=example"],
  ["cn=Doe\\, Jane,dc=x", "cn=Doe\\2C Jane,dc=x"],
  ["cn=José,dc=x", "cn=Jos\\C3\\A9,dc=x"],
  ["cn=a+uid=b,dc=x", "CN=a + UID=b,dc=x"],
])("%s is the same entry as %s", (one, other) => {
  expect(normalizeDn(other)).toBe(normalizeDn(one));
});

test.each([
  ["cn=a\\,dc=x", "cn=a,dc=x"],
  ["cn=a=b,dc=x", "cn=ab,dc=x"],
  ["cn=a,dc=x", "cn=a,dc=y"],
])("%s is not the same entry as %s", (one, other) => {
  expect(normalizeDn(other)).not.toBe(normalizeDn(one));
});

test("a hostile name takes time in proportion to its length", () => {
  const text = `${" ".repeat(90_000)},${"\\".repeat(90_001)}`;
  expect(normalizeDn(text).length).toBeLessThan(text.length);
});
