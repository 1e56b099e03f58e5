import type { Operation } from "../../contract/operation.ts";
import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import type { PublicUrl } from "../access/public-url.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import { parsePageQuery } from "./page-query.ts";

/** Responds with a page of a list in the order of ids. `list` reads the items with an id greater than `after`. */
export function listById(
  context: RequestContext,
  publicUrl: PublicUrl,
  { path }: Operation,
  list: (after: number, limit: number) => MaybePromise<readonly { readonly id: number }[]>,
): MaybePromise<Response> {
  const { after = 0, limit } = parsePageQuery(context);
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
