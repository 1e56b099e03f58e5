import { accessTokenOperations } from "../contract/keys/access-token-operations.ts";
import { operations } from "../contract/operations.ts";
import { scimOperations } from "../contract/scim/scim-operations.ts";
import { parsePath, type RequestContext } from "./request-context.ts";

const PARAMETER = /\{(\w+)\}/g;
/** An id of a resource. Those of groups begin with a letter in SCIM. */
const ID = /^g?[1-9]\d{0,15}$/;

const knownSegments = new Set(
  [...Object.values({ ...operations, ...accessTokenOperations }), ...scimOperations].flatMap(({ path }) =>
    path.split("/").filter((part) => !part.startsWith("{")),
  ),
);

/**
 * The path for logs and traces, without anything that a caller may have put there by mistake, such as a name or a key. Of the
 * parameters of a route, it has ids. Of a path without a route, it has the segments before the first unknown one.
 */
export function loggedPath({
  route,
  parameters,
  url,
}: Pick<RequestContext, "route" | "parameters" | "url">): string {
  if (route !== "") {
    return route.replace(PARAMETER, (pattern, name: string) => {
      const value = parameters[name] ?? "";
      return ID.test(value) ? value : pattern;
    });
  }
  const segments = parsePath(url).split("/");
  const unknown = segments.findIndex((segment, index) => index > 0 && !knownSegments.has(segment));
  return unknown < 0 ? segments.join("/") : [...segments.slice(0, unknown), "…"].join("/");
}
