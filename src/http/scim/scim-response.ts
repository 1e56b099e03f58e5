import type { StoredRecord } from "../../domain/records/record.ts";
import { formatEtag, matchesEtag } from "../query/headers.ts";
import type { RequestContext } from "../request-context.ts";
import { emptyResponse, jsonResponse } from "../responses.ts";
import { chooseMediaType } from "./media-type.ts";

/** The ETag of a resource, and its `meta.version`. It is weak: what a caller sees depends on its scopes too. */
export function formatWeakEtag(record: Pick<StoredRecord, "version">): string {
  return `W/${formatEtag(record)}`;
}

/** The response without a body, if the caller has this version of the resource. */
export function unchangedResponse(
  context: RequestContext,
  record: Pick<StoredRecord, "version">,
  ifNoneMatch: string | null,
): Response | undefined {
  return matchesEtag(ifNoneMatch, formatEtag(record))
    ? emptyResponse(context, 304, { etag: formatWeakEtag(record) })
    : undefined;
}

/** A response of JSON, in the media type that the caller accepts. */
export function scimResponse(
  context: RequestContext,
  status: number,
  document: object,
  headers?: Record<string, string>,
): Response {
  return jsonResponse(context, status, JSON.stringify(document), {
    "content-type": chooseMediaType(context.request),
    ...headers,
  });
}
