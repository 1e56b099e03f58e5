import { listLimits } from "../../contract/listing.ts";
import type { FieldError } from "../../contract/problems.ts";
import type { RequestContext } from "../request-context.ts";
import { parseId } from "./ids.ts";
import { invalidQuery, readQueryString } from "./query-string.ts";

/** Parses `limit` and `after`, the only parameters of a list without search and filter. Throws `invalid-query` with every error. */
export function parsePageQuery(
  { url }: Pick<RequestContext, "url">,
  parseCursor: (cursor: string) => number | undefined = parseId,
): { after: number | undefined; limit: number } {
  const parameters = new URLSearchParams(readQueryString(url));
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
  const cursor = parameters.get("after");
  const after = cursor === null ? undefined : parseCursor(cursor);
  if (cursor !== null && after === undefined) {
    const detail = "Invalid cursor. Use the whole URL of rel=next in the Link header.";
    errors.push({ parameter: "after", detail });
  }
  if (errors.length > 0 || limit === undefined) throw invalidQuery(errors);
  return { after, limit };
}
