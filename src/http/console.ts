import type { BrowserFile } from "../bundle.ts";
import { bundleConsole, filesPath } from "../console/bundle.ts";
import { operations } from "../contract/operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { lazy } from "./lazy.ts";
import type { RequestContext } from "./request-context.ts";
import { emptyResponse, pageResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** The addresses of the console's views: one page for all of them. */
const views = ["/", "/users/{id}", "/import", "/keys", "/connect"];
/** The name of a file changes with what is in it. */
const FOR_EVER = "public, max-age=31536000, immutable";

/** The web console: a page, and the files that it asks for. */
export function serveConsole(router: Router): void {
  for (const view of views) {
    router.serveAsset(view, async (context) => {
      const made = await loadConsole();
      return made
        ? fileAnswer(context, made.page)
        : emptyResponse(context, 302, { location: operations.docs.path });
    });
  }
  router.serveAsset(`${filesPath}/{file}`, async (context) => {
    const file = (await loadConsole())?.files.get(`${filesPath}/${context.parameter}`);
    if (!file) throw new ProblemError("not-found");
    return fileAnswer(context, file, { "cache-control": FOR_EVER });
  });
}

interface Ready extends BrowserFile {
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

interface Console {
  readonly page: Ready;
  readonly files: ReadonlyMap<string, Ready>;
}

const loadConsole = lazy(makeConsole);

async function makeConsole(): Promise<Console | undefined> {
  const bundled = await bundleConsole();
  const ready = bundled.map((file) => ({ ...file, gzipped: Bun.gzipSync(file.text, { level: 9 }) }));
  const page = ready.find(({ type }) => type.startsWith("text/html"));
  return (
    page && { page, files: new Map(ready.filter((file) => file !== page).map((file) => [file.path, file])) }
  );
}

function fileAnswer(
  context: RequestContext,
  { type, text, gzipped }: Ready,
  headers?: Record<string, string>,
): Response {
  const small = /\bgzip\b/.test(context.request.headers.get("accept-encoding") ?? "");
  return pageResponse(context, type, small ? gzipped : text, {
    vary: "accept-encoding",
    ...(small && { "content-encoding": "gzip" }),
    ...headers,
  });
}
