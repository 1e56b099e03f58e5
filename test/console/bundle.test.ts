import { expect, test } from "bun:test";
import { bundleConsole } from "../../src/console/bundle.ts";

test("the code that the console loads on demand is in few files", async () => {
  const scripts = (await bundleConsole()).filter(({ path }) => path.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(5);
  // A part of its own for every dialog shares other parts with every second one: that made 60 files.
  expect(scripts.length).toBeLessThanOrEqual(18);
});
