import { encodeCursor, type ListQuery, type Page } from "../../domain/lists/listing.ts";

/** The Link header of a page of users. `queryString` is that of the request, percent-encoded, and `query` its meaning. */
export function formatPageLinks(
  listUrl: string,
  queryString: string,
  query: ListQuery,
  next: Page["next"],
): string {
  const { from, offset, limit } = query;
  const link = linkFormatter(listUrl, queryString);
  const links = [link("first", "")];
  // A cursor does not tell where the page before begins.
  if (!from && offset > limit) links.unshift(link("prev", `offset=${offset - limit}`));
  else if (!from && offset > 0) links.unshift(link("prev", ""));
  if (next) links.unshift(link("next", `after=${encodeCursor(query, next)}`));
  return links.join(", ");
}

/** Returns a function that formats a link to another page of the list. `position` is the parameter that chooses the page. */
export function linkFormatter(
  listUrl: string,
  queryString: string,
): (relation: string, position: string) => string {
  const unpaged = unpagedQuery(queryString);
  return (relation, position) => {
    const parameters = unpaged && position ? `${unpaged}&${position}` : unpaged || position;
    return `<${listUrl}${parameters && `?${parameters}`}>; rel="${relation}"`;
  };
}

let last = { queryString: "", unpaged: "" };

/** The query string without the position of the page. Keeps the last one: most callers repeat their lists. */
function unpagedQuery(queryString: string): string {
  if (queryString !== last.queryString) {
    last = { queryString, unpaged: removePosition(queryString).replace(UNSAFE, encodeURIComponent) };
  }
  return last.unpaged;
}

/** Characters that are not allowed in a query string (RFC 3986), and that URL parsers leave as they are. */
const UNSAFE = /[^\w.~!$&'()*+,;=:@/?%-]/g;

/** `after` and `offset`, which choose where a page begins; and encoded names, which may be the same. */
const MAY_HAVE_POSITION = /after|offset|%/;

function removePosition(queryString: string): string {
  if (!MAY_HAVE_POSITION.test(queryString)) return queryString;
  return queryString
    .split("&")
    .filter((pair) => pair !== "" && !isPosition(decodeURIComponent(pair.split("=", 1)[0] ?? "")))
    .join("&");
}

function isPosition(name: string): boolean {
  return name === "after" || name === "offset";
}
