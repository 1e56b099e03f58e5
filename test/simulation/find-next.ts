import type { Answer } from "./observation.ts";

const NEXT = /[?&]after=(\w+)[^>]*>; rel="next"/;

/** The cursor of the next page, in the Link header of a page; undefined on the last page. */
export function findNext({ headers }: Answer): string | undefined {
  return NEXT.exec(headers.get("link") ?? "")?.[1];
}
