import icon from "./icon.svg" with { type: "text" };
import problem from "./problem.css" with { type: "text" };
import reference from "./reference.css" with { type: "text" };
import script from "./reference-script.ts" with { type: "text" };
import samples from "./samples.css" with { type: "text" };
import style from "./style.css" with { type: "text" };
import tryIt from "./try-it.css" with { type: "text" };

export interface Asset {
  path: string;
  type: string;
  body: string;
}

export const assetPaths = {
  style: "/docs/style.css",
  script: "/docs/reference.js",
  icon: "/docs/icon.svg",
} as const;

let made: readonly Asset[] | undefined;

/** Everything that the pages ask for beside themselves. Made at the first call: a service that is never read pays nothing. */
export function pageAssets(): readonly Asset[] {
  made ??= [
    {
      path: assetPaths.style,
      type: "text/css; charset=utf-8",
      body: [style, samples, tryIt, problem, reference].join("\n"),
    },
    { path: assetPaths.script, type: "text/javascript; charset=utf-8", body: browserScript() },
    { path: assetPaths.icon, type: "image/svg+xml", body: icon },
  ];
  return made;
}

function browserScript(): string {
  // The script's default export is there for the compiler alone: see the script.
  const exports = { eliminate: ["default"] };
  return new Bun.Transpiler({
    loader: "ts",
    target: "browser",
    minifyWhitespace: true,
    exports,
  }).transformSync(script);
}
