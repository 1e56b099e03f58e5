/** A file that browsers load. */
export interface BrowserFile {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

export interface BundleOptions {
  /** Paths of the entry files. */
  readonly entrypoints: readonly string[];
  /** The URL path of the folder that the files are served from. */
  readonly path: string;
  /** File names, in the terms of `Bun.build`. */
  readonly naming: string;
}

/**
 * Bundles source files for browsers, off the event loop. Only a service that runs from source does this: the package and
 * the executable contain the files (scripts/build.ts).
 */
export async function bundle({ entrypoints, path, naming }: BundleOptions): Promise<BrowserFile[]> {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [...entrypoints],
    target: "browser",
    publicPath: `${path}/`,
    naming,
    define: { "process.env.NODE_ENV": '"production"' },
    splitting: true,
    minify: true,
    throw: false,
  });
  if (!success) throw new Error(`Cannot bundle the files of ${path}: ${logs.join("\n")}`);
  return Promise.all(
    outputs.map(async (output) => ({
      path: `${path}/${output.path.replace(/^.*\//, "")}`,
      type: output.type.replace(/;charset/, "; charset"),
      text: await output.text(),
    })),
  );
}
