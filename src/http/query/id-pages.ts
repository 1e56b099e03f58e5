import { listLimits } from "../../contract/listing.ts";
import type { Operation } from "../../contract/operation.ts";
import type { FieldError } from "../../contract/problems.ts";
import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import type { PublicUrl } from "../access/public-url.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import { parseId } from "./ids.ts";
import { invalidQuery, readQueryString } from "./query-string.ts";

/** Responds with a page of a list in the order of ids. `list` reads the items with an id greater than `after`. */
export function listById(
  context: RequestContext,
  publicUrl: PublicUrl,
  { path }: Operation,
  list: (after: number, limit: number) => MaybePromise<readonly { readonly id: number }[]>,
): MaybePromise<Response> {
  const { after, limit } = parseIdPage(new URLSearchParams(readQueryString(context.url)));
  // One item more than the page holds shows whether there is a next page.
  return andThen(list(after, limit + 1), (found) => {
    const page = found.slice(0, limit);
    const headers: Record<string, string> = { vary: "Accept" };
    if (found.length > limit) {
      headers.link = `<${publicUrl.findBase(context)}${path}?limit=${limit}&after=${page.at(-1)?.id}>; rel="next"`;
    }
    return jsonResponse(context, 200, JSON.stringify(page), headers);
  });
}

function parseIdPage(parameters: URLSearchParams): { after: number; limit: number } {
  const errors: FieldError[] = [];
  const { maximum, default: defaultLimit } = listLimits.pageSize;
  for (const name of new Set(parameters.keys())) {
    if (name !== "limit" && name !== "after")
      errors.push({ parameter: name, detail: "Unknown parameter. This list supports limit and after." });
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
