/** Installs packages that `npm ci` in the root folder leaves out, because only few programs need them. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./paths.ts";

/** The folders whose packages the tests in test/integrations need. */
export const integrationFolders = ["test/integrations", "examples/admin"] as const;

/** Installs the packages of these folders if any of the tests needs them. */
export function installIntegrations(testFiles: readonly string[]): void {
  if (!testFiles.some((path) => path.includes("test/integrations/"))) return;
  for (const folder of integrationFolders) installPackages(join(root, folder));
}

/** Installs the packages of a folder with a lockfile of its own, unless the lockfile is the one of the last installation. */
export function installPackages(folder: string): void {
  const lockfile = join(folder, "package-lock.json");
  // npm ci deletes this copy, like everything in node_modules: after a failure, the next call installs again.
  const installed = join(folder, "node_modules", ".installed-lock.json");
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lockfile))) return;
  const { success } = Bun.spawnSync(["npm", "ci"], { cwd: folder, stdout: 2, stderr: "inherit" });
  if (!success) throw new Error(`npm cannot install the packages of ${relative(root, folder)}.`);
  copyFileSync(lockfile, installed);
}
