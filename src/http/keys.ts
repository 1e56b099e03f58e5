import { listLimits } from "../contract/listing.ts";
import { operations } from "../contract/operations.ts";
import type { FieldError } from "../contract/problems.ts";
import type { Keys } from "../domain/keys.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { type BodyReader, requireContentType } from "./body-reader.ts";
import { parseId } from "./list-query.ts";
import type { RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const acceptPost = { "accept-post": operations.createKey.request.types.join(", ") };

/** Keys, for those who manage them. */
export function serveKeys(router: Router, keys: Keys, bodyReader: BodyReader): void {
  router.serve(operations.listKeys, (context) => {
    const { after, limit } = parsePlace(new URL(context.request.url).searchParams);
    // One more than is answered tells whether there is a next page.
    return andThen(keys.list(after, limit + 1), (found) => {
      const page = found.slice(0, limit);
      const next = `${operations.listKeys.path}?limit=${limit}&after=${page.at(-1)?.id}`;
      const headers = found.length > limit ? { link: `<${next}>; rel="next"` } : undefined;
      return jsonResponse(context, 200, JSON.stringify(page), headers);
    });
  });

  router.serve(operations.createKey, async (context) => {
    requireContentType(context.request, operations.createKey.request.types, acceptPost);
    const key = await keys.create(context.caller, await bodyReader.readJson(context));
    context.logAtInfo = true;
    return jsonResponse(context, 201, JSON.stringify(key), {
      location: `/api/keys/${key.id}`,
      // Nothing between here and the caller is to keep it.
      "cache-control": "no-store",
    });
  });

  router.serve(operations.readKey, (context) =>
    andThen(keys.read(idOf(context)), (key) => jsonResponse(context, 200, JSON.stringify(key))),
  );

  router.serve(operations.revokeKey, async (context) => {
    await keys.revoke(context.caller, idOf(context));
    context.logAtInfo = true;
    return emptyResponse(context, 204);
  });

  router.advise(operations.createKey.path, acceptPost);
}

function parsePlace(parameters: URLSearchParams): { after: number; limit: number } {
  const faults: FieldError[] = [];
  const { maximum, default: standard } = listLimits.pageSize;
  for (const name of new Set(parameters.keys())) {
    if (name !== "limit" && name !== "after")
      faults.push({ parameter: name, detail: "Keys take limit and after." });
    else if (parameters.getAll(name).length > 1) faults.push({ parameter: name, detail: "Give it once." });
  }
  const limit = parameters.has("limit") ? parseId(parameters.get("limit") ?? "") : standard;
  if (limit === undefined || limit > maximum) {
    faults.push({ parameter: "limit", detail: `It takes 1 to ${maximum}.` });
  }
  const after = parameters.has("after") ? parseId(parameters.get("after") ?? "") : 0;
  if (after === undefined) {
    faults.push({
      parameter: "after",
      detail: "It is part of the next address of the Link header: take that whole.",
    });
  }
  if (faults.length > 0 || limit === undefined || after === undefined) {
    const detail = faults.map(({ parameter, detail }) => `${parameter}: ${detail}`).join(" ");
    throw new ProblemError("invalid-query", detail, faults);
  }
  return { after, limit };
}

function idOf({ parameter }: RequestContext): number {
  const id = parseId(parameter);
  if (id === undefined) {
    throw new ProblemError(
      "key-not-found",
      "This is no id: ids are positive whole numbers in plain decimal.",
    );
  }
  return id;
}
