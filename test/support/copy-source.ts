import { cpSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./paths.ts";

const excluded = new Set([".git", "node_modules", "dist", "data"]);

/** Copies the source like a fresh clone in which the packages are installed. */
export function copySource(folder: string): void {
  cpSync(root, folder, { recursive: true, filter: (from) => !excluded.has(basename(from)) });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}
