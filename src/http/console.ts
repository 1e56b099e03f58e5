import { bundleConsole, filesPath } from "../console/bundle.ts";
import { viewPaths } from "../console/view-paths.ts";
import { operations } from "../contract/operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { constantPage } from "./compression/constant.ts";
import { lazy } from "./lazy.ts";
import type { Handler } from "./request-context.ts";
import { emptyResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** A file's name holds a hash of its content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Registers the web console: its page and the files that the page loads. */
export function serveConsole(router: Router): void {
  for (const path of Object.values(viewPaths)) {
    router.servePage(path, async (context) => {
      const bundle = await loadConsole();
      return bundle ? bundle.page(context) : emptyResponse(context, 302, { location: operations.docs.path });
    });
  }
  router.setFallbackPage(async (context) => {
    const bundle = await loadConsole();
    if (!bundle) throw new ProblemError("not-found");
    const { body, headers } = await bundle.page(context);
    // Without an ETag, a browser never asks whether the page has changed, which would give 304.
    headers.delete("etag");
    return new Response(body, { status: 404, headers });
  });
  router.servePage(`${filesPath}/{file}`, async (context) => {
    const file = (await loadConsole())?.files.get(`${filesPath}/${context.parameters.file}`);
    if (!file) throw new ProblemError("not-found");
    return file(context);
  });
}

interface Console {
  readonly page: Handler;
  readonly files: ReadonlyMap<string, Handler>;
}

const loadConsole = lazy(buildConsole);

async function buildConsole(): Promise<Console | undefined> {
  const bundled = await bundleConsole();
  const page = bundled.find(({ type }) => type.startsWith("text/html"));
  const files = bundled
    .filter((file) => file !== page)
    .map(({ path, type, text }) => [path, constantPage(type, text, IMMUTABLE)] as const);
  return page && { page: constantPage(page.type, page.text), files: new Map(files) };
}
