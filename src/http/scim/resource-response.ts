import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import type { WrittenDocument } from "./document-writer.ts";
import { respondInParts } from "./long-response.ts";
import { chooseMediaType } from "./media-type.ts";
import type { Shown } from "./resources.ts";
import type { ScimParts } from "./scim-parts.ts";
import { formatWeakEtag } from "./scim-response.ts";

/** Responds with a resource: at once, or in parts if it can have any number of members. */
export function respondWithResource(
  context: RequestContext,
  { streams }: Pick<ScimParts, "streams">,
  written: WrittenDocument,
  { status, record, headers }: Omit<Shown, "view">,
): MaybePromise<Response> {
  const all = { etag: formatWeakEtag(record), ...headers };
  return typeof written === "string"
    ? jsonResponse(context, status, written, { "content-type": chooseMediaType(context.request), ...all })
    : respondInParts(context, streams, written, { status, headers: all });
}
