import { type BrowserFile, bundle } from "../pages/bundle.ts";

/** The URL path of the console's files. File names change with their content. */
export const filesPath = "/console";

/** The console's page and files. Empty without the development packages, which the console is built from. */
export async function bundleConsole(): Promise<BrowserFile[]> {
  if (!isInstalled("react")) return [];
  const files = await bundle({
    entrypoints: [Bun.fileURLToPath(new URL("./index.html", import.meta.url))],
    path: filesPath,
    naming: "[name]-[hash].[ext]",
  });
  // The script chooses the colours before the first paint, to avoid a flash of the other theme.
  return files.map((file) => ({
    ...file,
    text: file.text.replace('<script type="module"', '<script type="module" blocking="render"'),
  }));
}

function isInstalled(name: string): boolean {
  try {
    return Bun.resolveSync(name, import.meta.dir) !== "";
  } catch {
    return false;
  }
}
