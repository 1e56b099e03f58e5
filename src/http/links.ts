import type { Operation } from "../contract/operation.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { compressibleResponse } from "./compression/compressible.ts";
import { readQueryString, splitPosition } from "./query/query-string.ts";
import type { RequestContext } from "./request-context.ts";
import { jsonResponse } from "./responses.ts";

/** A page of a list. */
export interface ListPage {
  /** JSON. Bytes are compressed if the caller accepts that. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The cursor of the next page. */
  readonly next?: string | undefined;
  /** Where the page before begins. */
  readonly previous?: number | undefined;
  /** Whether the list begins with this page. */
  readonly isFirst?: boolean;
  /** More headers of the response, which gets this object. */
  readonly headers?: Record<string, string>;
}

/** Writes the URLs of the service into responses. */
export class Links {
  readonly #publicUrl: PublicUrl;

  constructor(publicUrl: PublicUrl) {
    this.#publicUrl = publicUrl;
  }

  /** The URL of a path of the service. */
  locate(context: RequestContext, path: string): string {
    return this.#publicUrl.findBase(context) + path;
  }

  /** Responds with a page of a list, and the links to other pages that its operation declares. */
  respondWithPage(
    context: RequestContext,
    { list = [] }: Pick<Operation, "list">,
    page: ListPage,
  ): MaybePromise<Response> {
    const { body, next, isFirst = true, headers = {} } = page;
    headers.vary = "Accept";
    if (next !== undefined || !isFirst) {
      const url = this.locate(context, findPath(context));
      const { rest } = splitPosition(readQueryString(context.url));
      const unpaged = rest.replace(UNSAFE, encodeURIComponent);
      let links = "";
      for (const relation of list) {
        const position = findPosition(relation, page);
        if (position === undefined) continue;
        const parameters = unpaged && position ? `${unpaged}&${position}` : unpaged || position;
        links += `${links && ", "}<${url}${parameters && `?${parameters}`}>; rel="${relation}"`;
      }
      if (links) headers.link = links;
    }
    return typeof body === "string"
      ? jsonResponse(context, 200, body, headers)
      : compressibleResponse(context, body, headers);
  }
}

/** The query parameter of the link to another page. Empty for the first page. Undefined if the list does not have that page. */
function findPosition(relation: "next" | "prev" | "first", { next, previous }: ListPage): string | undefined {
  if (relation === "first") return "";
  if (relation === "next") return next && `after=${next}`;
  if (previous === 0) return "";
  return previous === undefined ? undefined : `offset=${previous}`;
}

/** The path that the request matched, without needless percent-encoding. */
function findPath({ route, parameters }: RequestContext): string {
  if (!route.includes("{")) return route;
  return route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
}

/** Characters that are not allowed in a query string (RFC 3986), and that URL parsers leave as they are. */
const UNSAFE = /[^\w.~!$&'()*+,;=:@/?%-]/g;

/** A page of a list. Reads one item more than the page holds, which shows whether there is a next page. */
export function readPage<Item extends { readonly id: number | string }>(
  limit: number,
  read: (limit: number) => MaybePromise<readonly Item[]>,
): MaybePromise<ListPage> {
  return andThen(read(limit + 1), (found) => {
    const page = found.slice(0, limit);
    const lastId = page.at(-1)?.id;
    return { body: JSON.stringify(page), next: found.length > limit ? String(lastId) : undefined };
  });
}
