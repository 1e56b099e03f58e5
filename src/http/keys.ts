import { listLimits } from "../contract/listing.ts";
import { operations } from "../contract/operations.ts";
import type { FieldError } from "../contract/problems.ts";
import type { Keys } from "../domain/keys.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { type BodyReader, requireContentType } from "./body-reader.ts";
import { parseId, readPathId } from "./ids.ts";
import { invalidQuery, readQueryString } from "./query-string.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const acceptPost = { "accept-post": operations.createKey.request.types.join(", ") };

/** Registers the handlers of API keys. */
export function serveKeys(router: Router, keys: Keys, bodyReader: BodyReader, publicUrl: PublicUrl): void {
  router.serve(operations.listKeys, (context) => {
    const { after, limit } = parseKeyQuery(new URLSearchParams(readQueryString(context.url)));
    // One key more than the page holds shows whether there is a next page.
    return andThen(keys.list(after, limit + 1), (found) => {
      const page = found.slice(0, limit);
      const headers: Record<string, string> = { vary: "Accept" };
      if (found.length > limit) {
        const listUrl = publicUrl.findBase(context) + operations.listKeys.path;
        headers.link = `<${listUrl}?limit=${limit}&after=${page.at(-1)?.id}>; rel="next"`;
      }
      return jsonResponse(context, 200, JSON.stringify(page), headers);
    });
  });

  router.serve(operations.createKey, async (context) => {
    // A stolen session must not create a key that outlives it.
    if (context.authentication.auth === "session") throw new ProblemError("key-required");
    requireContentType(context.request, operations.createKey.request.types, acceptPost);
    const key = await keys.create(
      { ...originOf(context), scopes: context.caller.scopes },
      await bodyReader.readJson(context, "invalid-key"),
    );
    context.logAtInfo = true;
    return jsonResponse(context, 201, JSON.stringify(key), {
      location: `${publicUrl.findBase(context)}/api/keys/${key.id}`,
      // The response holds the secret.
      "cache-control": "no-store",
    });
  });

  router.serve(operations.readKey, (context) =>
    andThen(keys.read(readPathId(context, "key-not-found")), (key) =>
      jsonResponse(context, 200, JSON.stringify(key)),
    ),
  );

  router.serve(operations.revokeKey, async (context) => {
    await keys.revoke(originOf(context), readPathId(context, "key-not-found"));
    context.logAtInfo = true;
    return emptyResponse(context, 204);
  });

  router.setOptionsHeaders(operations.createKey.path, acceptPost);
}

function parseKeyQuery(parameters: URLSearchParams): { after: number; limit: number } {
  const errors: FieldError[] = [];
  const { maximum, default: defaultLimit } = listLimits.pageSize;
  for (const name of new Set(parameters.keys())) {
    if (name !== "limit" && name !== "after")
      errors.push({ parameter: name, detail: "Unknown parameter. Keys support limit and after." });
    else if (parameters.getAll(name).length > 1)
      errors.push({ parameter: name, detail: "Send this parameter once." });
  }
  const limit = parameters.has("limit") ? parseId(parameters.get("limit") ?? "") : defaultLimit;
  if (limit === undefined || limit > maximum) {
    errors.push({ parameter: "limit", detail: `Enter an integer from 1 to ${maximum}.` });
  }
  const after = parameters.has("after") ? parseId(parameters.get("after") ?? "") : 0;
  if (after === undefined) {
    errors.push({
      parameter: "after",
      detail: "Invalid cursor. Use the whole URL of rel=next in the Link header.",
    });
  }
  if (errors.length > 0 || limit === undefined || after === undefined) throw invalidQuery(errors);
  return { after, limit };
}
