import type { RequestContext } from "../request-context.ts";
import { createGroupWriter } from "./document-writer.ts";
import { respondInParts } from "./long-response.ts";
import { parseRecord, type Shown } from "./resources.ts";
import type { ScimParts } from "./scim-parts.ts";
import { formatWeakEtag } from "./scim-response.ts";

/** Responds with a group, with any number of members. */
export function respondWithGroup(
  context: RequestContext,
  parts: ScimParts,
  { status, record, view, headers }: Shown,
): Promise<Response> {
  const written = createGroupWriter(context, parts, view).write(parseRecord(record));
  return respondInParts(context, parts.streams, toParts(written), {
    status,
    headers: { etag: formatWeakEtag(record), ...headers },
  });
}

async function* toParts(written: string | AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  if (typeof written === "string") yield written;
  else yield* written;
}
