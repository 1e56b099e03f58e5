import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/paths.ts";

interface Lockfile {
  readonly packages: Record<
    string,
    { readonly resolved?: string; readonly os?: string[]; readonly cpu?: string[] }
  >;
}
const readLockfile = (folder: string): Lockfile =>
  JSON.parse(readFileSync(join(root, folder, "package-lock.json"), "utf8"));

test("npm ci installs at most 230 packages", () => {
  const { "": project, ...packages } = readLockfile(".").packages;
  expect(project).toBeDefined();
  const installed = Object.values(packages).filter(
    ({ os = [process.platform], cpu = [process.arch] }) =>
      os.includes(process.platform) && cpu.includes(process.arch),
  );
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.length).toBeLessThanOrEqual(230);
});

const folders = [".", "bench", "examples/admin", "test/integrations"];
test.each(folders)(
  "the lockfile in %s names no address: each machine downloads from its own registry",
  (folder) => {
    const packages = Object.entries(readLockfile(folder).packages);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  },
);
