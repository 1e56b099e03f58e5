import { bundleConsole, filesPath } from "../console/bundle.ts";
import { operations } from "../contract/operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { BrowserFile } from "../pages/bundle.ts";
import { lazy } from "./lazy.ts";
import { pathParameter, type RequestContext } from "./request-context.ts";
import { emptyResponse, pageResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** The paths of the console's views. All of them serve the same page. */
const views = ["/", "/users/{id}", "/import", "/keys", "/connect"];
/** A file's name holds a hash of its content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Registers the web console: its page and the files that the page loads. */
export function serveConsole(router: Router): void {
  for (const view of views) {
    router.servePage(view, async (context) => {
      const bundle = await loadConsole();
      return bundle
        ? fileResponse(context, bundle.page)
        : emptyResponse(context, 302, { location: operations.docs.path });
    });
  }
  router.servePage(`${filesPath}/{file}`, async (context) => {
    const file = (await loadConsole())?.files.get(`${filesPath}/${pathParameter(context, "file")}`);
    if (!file) throw new ProblemError("not-found");
    return fileResponse(context, file, { "cache-control": IMMUTABLE });
  });
}

interface CompressedFile extends BrowserFile {
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

interface Console {
  readonly page: CompressedFile;
  readonly files: ReadonlyMap<string, CompressedFile>;
}

const loadConsole = lazy(buildConsole);

async function buildConsole(): Promise<Console | undefined> {
  const bundled = await bundleConsole();
  const compressed = bundled.map((file) => ({ ...file, gzipped: Bun.gzipSync(file.text, { level: 9 }) }));
  const page = compressed.find(({ type }) => type.startsWith("text/html"));
  const files = compressed.filter((file) => file !== page).map((file) => [file.path, file] as const);
  return page && { page, files: new Map(files) };
}

function fileResponse(
  context: RequestContext,
  { type, text, gzipped }: CompressedFile,
  headers?: Record<string, string>,
): Response {
  const acceptsGzip = /\bgzip\b/.test(context.request.headers.get("accept-encoding") ?? "");
  return pageResponse(context, type, acceptsGzip ? gzipped : text, {
    vary: "accept-encoding",
    ...(acceptsGzip && { "content-encoding": "gzip" }),
    ...headers,
  });
}
