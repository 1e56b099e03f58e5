import { createHash } from "node:crypto";
import { lazy } from "../lazy.ts";
import { matchesEtag } from "../query/headers.ts";
import type { Handler, RequestContext } from "../request-context.ts";
import { emptyResponse, jsonResponse, pageResponse } from "../responses.ts";
import { type Coding, chooseCoding } from "./accept-encoding.ts";
import { compress, THOROUGH } from "./compress.ts";

/** The smallest result first. */
const CODINGS: readonly Coding[] = ["br", "zstd", "gzip"];

type Render = (
  context: RequestContext,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
) => Response;

/** Serves a page or a file that never changes. */
export function constantPage(type: string, text: string, cacheControl?: string): Handler {
  return serveConstant(text, (context, ...rest) => pageResponse(context, type, ...rest), cacheControl);
}

/** Serves JSON that never changes. */
export function constantJson(text: string): Handler {
  return serveConstant(text, (context, ...rest) => jsonResponse(context, 200, ...rest));
}

/**
 * Serves text that never changes, with an ETag for each coding. The text is compressed once for each coding, when a caller
 * first accepts this coding.
 */
function serveConstant(text: string, render: Render, cacheControl = "no-cache"): Handler {
  const bytes = new TextEncoder().encode(text);
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const compressOnce = (coding: Coding) => lazy(() => compress(bytes, coding, THOROUGH));
  const compressed = { br: compressOnce("br"), gzip: compressOnce("gzip"), zstd: compressOnce("zstd") };
  return async (context) => {
    const { headers: requested } = context.request;
    const coding = chooseCoding(requested.get("accept-encoding"), CODINGS, bytes.length);
    const etag = coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`;
    const headers = { etag, vary: "Accept-Encoding", "cache-control": cacheControl };
    if (matchesEtag(requested.get("if-none-match"), etag)) return emptyResponse(context, 304, headers);
    return coding === "identity"
      ? render(context, bytes, headers)
      : render(context, await compressed[coding](), { ...headers, "content-encoding": coding });
  };
}
