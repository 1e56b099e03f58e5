import icon from "./icon.svg" with { type: "text" };
import problem from "./problem.css" with { type: "text" };
import reference from "./reference.css" with { type: "text" };
import samples from "./samples.css" with { type: "text" };
import codeScript from "./script/code.ts" with { type: "text" };
import domScript from "./script/dom.ts" with { type: "text" };
import mainScript from "./script/main.ts" with { type: "text" };
import samplesScript from "./script/samples.ts" with { type: "text" };
import sessionScript from "./script/session.ts" with { type: "text" };
import sidebarScript from "./script/sidebar.ts" with { type: "text" };
import tryItScript from "./script/try-it.ts" with { type: "text" };
import session from "./session.css" with { type: "text" };
import shared from "./shared.css" with { type: "text" };
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
      body: [shared, style, samples, tryIt, session, problem, reference].join("\n"),
    },
    { path: assetPaths.script, type: "text/javascript; charset=utf-8", body: browserScript() },
    { path: assetPaths.icon, type: "image/svg+xml", body: icon },
  ];
  return made;
}

/** The parts of the script, each after those that it needs when it begins. */
const parts = [domScript, codeScript, samplesScript, sidebarScript, sessionScript, tryItScript, mainScript];

/**
 * One script for the browser. To the compiler each part is a module of its own, whose default export says that importing
 * it here gives its text; joined, they share one scope, so that nothing is imported and nothing exported any more.
 */
function browserScript(): string {
  const joined = parts.map((part) =>
    part
      .replace(/^declare const source: string;\nexport default source;$/m, "")
      .replace(/^import [^;]+;$/gm, "")
      .replace(/^export /gm, ""),
  );
  return new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true }).transformSync(
    joined.join("\n"),
  );
}
