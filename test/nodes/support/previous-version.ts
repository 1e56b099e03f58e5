import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../../src/store/postgres/migrations/index.ts";
import { root } from "../../support/paths.ts";
import { temporaryFolder } from "../../support/process/roster.ts";

/** The last commit of before migrations were recorded. */
const FIRST = "944d220";

function git(...args: string[]): string | undefined {
  const ran = Bun.spawnSync(["git", ...args], { cwd: root, stderr: "ignore" });
  return ran.success ? ran.stdout.toString().trim() : undefined;
}

/** The commit before the newest migration, if the history of the repository is here. */
export function findPreviousCommit(): string | undefined {
  if (Bun.which("git") === null || git("cat-file", "-e", `${FIRST}^{commit}`) === undefined) return undefined;
  const path = `src/store/postgres/migrations/${migrations.at(-1)?.name}.sql`;
  const added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", path);
  // Not committed yet.
  if (!added) return "HEAD";
  const isOlder = git("merge-base", "--is-ancestor", added, FIRST) !== undefined;
  return isOlder ? FIRST : `${added}^`;
}

/** The command that runs the version of a commit, with the packages of this one. */
export function commandOf(commit: string): readonly string[] {
  const folder = join(temporaryFolder(), "previous");
  mkdirSync(folder);
  const archive = Bun.spawnSync(["git", "archive", commit], { cwd: root }).stdout;
  const { success } = Bun.spawnSync(["tar", "-x", "-C", folder], { stdin: archive });
  if (!success) throw new Error(`The files of ${commit} cannot be read.`);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return [process.execPath, join(folder, "src/cli/main.ts")];
}
