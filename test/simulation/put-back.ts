import { join } from "node:path";
import { plugin } from "bun";
import type { Defect } from "./defects.ts";

const root = join(import.meta.dir, "..", "..");

/** Puts a defect into the source, in this process only. Call it before the file is imported. */
export async function putBack({ name, file, text, replacement }: Defect): Promise<void> {
  const path = join(root, file);
  const parts = (await Bun.file(path).text()).split(text);
  if (parts.length !== 2)
    throw new Error(
      `${file} must have the text of the defect ${name} once. It has it ${parts.length - 1} times.`,
    );
  const contents = parts.join(replacement);
  plugin({
    name: `defect ${name}`,
    setup(build) {
      build.onLoad({ filter: new RegExp(`${RegExp.escape(path)}$`) }, () => ({ contents, loader: "ts" }));
    },
  });
}
