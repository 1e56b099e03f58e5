import { type BrowserFile, bundle } from "./bundle.ts";
import icon from "./icon.svg" with { type: "text" };

const path = "/docs";

export const assetPaths = {
  style: `${path}/style.css`,
  script: `${path}/reference.js`,
  icon: `${path}/icon.svg`,
} as const;

/** The script, stylesheet and icon of the pages. */
export async function bundleAssets(): Promise<BrowserFile[]> {
  const files = await bundle({
    entrypoints: [
      Bun.fileURLToPath(new URL("./script/reference.ts", import.meta.url)),
      Bun.fileURLToPath(new URL("./styles/style.css", import.meta.url)),
    ],
    path,
    naming: "[name].[ext]",
  });
  return [...files, { path: assetPaths.icon, type: "image/svg+xml", text: icon }];
}
