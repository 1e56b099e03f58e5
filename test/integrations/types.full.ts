import { expect, test } from "bun:test";
import { join } from "node:path";
import { integrationFolders } from "../support/install-packages.ts";
import { root } from "../support/paths.ts";

// `npm run check` checks the types of all other folders before it installs the packages of these two.
test.each(integrationFolders)("the types in %s are correct", async (folder) => {
  const compiler = join(root, "node_modules", ".bin", "tsc");
  const child = Bun.spawn([compiler, "--project", folder], { cwd: root });
  expect(await new Response(child.stdout).text()).toBe("");
  expect(await child.exited).toBe(0);
});
