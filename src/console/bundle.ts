/** A file of the console, as browsers ask for it. */
export interface ConsoleFile {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** Where the page's own files are. Their names change with what is in them. */
export const filesPath = "/console";

/**
 * Makes the page and its files of what is in this folder: a tenth of a second, when somebody first looks at it. In the
 * package and in the executable this module has been replaced by what it makes (scripts/build.ts).
 */
export async function bundleConsole(): Promise<ConsoleFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [Bun.fileURLToPath(new URL("./index.html", import.meta.url))],
    target: "browser",
    publicPath: `${filesPath}/`,
    naming: "[name]-[hash].[ext]",
    define: { "process.env.NODE_ENV": '"production"' },
    splitting: true,
    minify: true,
  });
  return Promise.all(
    outputs.map(async (output) => ({
      path: `${filesPath}/${output.path.replace(/^.*\//, "")}`,
      type: output.type.replace(/;charset/, "; charset"),
      // Nothing is painted before the script has chosen the colours, so that nothing flashes.
      text: (await output.text()).replace('<script type="module"', '<script type="module" blocking="render"'),
    })),
  );
}
