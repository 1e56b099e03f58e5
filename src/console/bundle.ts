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
 * package and in the executable this module has been replaced by what it makes (scripts/build.ts). A clone without its
 * development packages has nothing to make it of: no files then.
 */
export async function bundleConsole(): Promise<ConsoleFile[]> {
  if (!isInstalled("react")) return [];
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [Bun.fileURLToPath(new URL("./index.html", import.meta.url))],
    target: "browser",
    publicPath: `${filesPath}/`,
    naming: "[name]-[hash].[ext]",
    define: { "process.env.NODE_ENV": '"production"' },
    splitting: true,
    minify: true,
    throw: false,
  });
  if (!success) throw new Error(`The console cannot be made: ${logs.join("\n")}`);
  return Promise.all(
    outputs.map(async (output) => ({
      path: `${filesPath}/${output.path.replace(/^.*\//, "")}`,
      type: output.type.replace(/;charset/, "; charset"),
      // Nothing is painted before the script has chosen the colours, so that nothing flashes.
      text: (await output.text()).replace('<script type="module"', '<script type="module" blocking="render"'),
    })),
  );
}

function isInstalled(name: string): boolean {
  try {
    return Bun.resolveSync(name, import.meta.dir) !== "";
  } catch {
    return false;
  }
}
