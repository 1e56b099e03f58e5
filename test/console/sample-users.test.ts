import { expect, test } from "bun:test";
import { bundleConsole } from "../../src/console/bundle.ts";
import { createSampleUsers } from "../../src/console/users/empty/sample-users.ts";
import { latinNames } from "../../src/sample-users/latin-names.ts";

test("the sample users of the console have different emails at example.com, and the same fields", () => {
  const users = createSampleUsers();
  expect(users.length).toBe(20);
  expect(new Set(users.map(({ email }) => email)).size).toBe(20);
  for (const { email, ...user } of users) {
    expect(email).toMatch(/^[a-z.-]+@example\.com$/);
    expect(Object.keys(user).sort()).toEqual(
      ["name", "active", "address", "department", "joinedOn", "level", "plan", "sample", "tags"].sort(),
    );
  }
});

test("the bundle of the console has its sample users once, and not the names that they are made of", async () => {
  const text = (await bundleConsole()).map((file) => file.text).join("\n");
  const [user] = createSampleUsers();
  expect(text.split(`"${user?.email}"`).length).toBe(2);
  for (const { men } of latinNames) expect(text).not.toContain(men);
});
