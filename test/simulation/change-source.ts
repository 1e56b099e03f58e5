import { join } from "node:path";
import { plugin } from "bun";
import { root } from "../support/paths.ts";

/** A change of the source for a simulation. */
export interface SourceChange {
  readonly file: string;
  /** A part of the file, which occurs once, and what replaces it. */
  readonly text: string;
  readonly replacement: string;
}

/** Changes the source in this process only. Call it once, before the files are imported. */
export async function changeSource(changes: readonly SourceChange[]): Promise<void> {
  const files = new Map<string, string>();
  for (const { file, text, replacement } of changes) {
    const path = join(root, file);
    const before = files.get(path) ?? (await Bun.file(path).text());
    const parts = before.split(text);
    if (parts.length !== 2)
      throw new Error(`${file} must have this text once, not ${parts.length - 1} times: ${text}`);
    files.set(path, parts.join(replacement));
  }
  plugin({
    name: "changes for a simulation",
    setup(build) {
      for (const [path, contents] of files)
        build.onLoad({ filter: new RegExp(`${RegExp.escape(path)}$`) }, () => ({ contents, loader: "ts" }));
    },
  });
}
