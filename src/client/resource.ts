import { ApiError } from "./errors.ts";
import { type FieldTypes, hasFields } from "./has-fields.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type { ApiResponse } from "./transport/transport.ts";
import type { CallOptions, ChangeOptions, Id, PageInfo } from "./types.ts";

/** One page of a list. */
export interface ItemPage<Item> extends PageInfo {
  readonly items: Item[];
}

/** A resource of the API, such as users: requests for one item, for a page of items, and deletion. */
export class Resource<Item> {
  readonly #fieldTypes: FieldTypes;
  /** The path of the resource that this one belongs to. */
  readonly #parent: readonly Id[];

  constructor(
    readonly transport: ServiceTransport,
    /** For paths and messages. */
    readonly name:
      | "users"
      | "groups"
      | "members"
      | "memberships"
      | "deleted-users"
      | "keys"
      | "fields"
      | "stats"
      | "events"
      | "webhooks"
      | "deliveries"
      | "schema",
    fieldTypes: FieldTypes,
    parent: readonly Id[] = [],
  ) {
    this.#fieldTypes = fieldTypes;
    this.#parent = parent;
  }

  /** Like `requestItem`, and reports errors to `onError`. */
  call(...request: Parameters<Resource<Item>["requestItem"]>): Promise<Item> {
    return this.transport.reportErrors(() => this.requestItem(...request));
  }

  async requestItem(
    method: string,
    path: readonly Id[],
    options?: ChangeOptions,
    body?: unknown,
    headers?: Record<string, string>,
    query?: URLSearchParams,
  ): Promise<Item> {
    return this.#parseItem(
      await this.transport.call(method, this.#path(path), options, body, headers, query),
    );
  }

  /** Changes an item and returns it, or undefined if the caller must not read it (204). Reports errors to `onError`. */
  change(
    method: string,
    path: readonly Id[],
    options: ChangeOptions | undefined,
    body: unknown,
  ): Promise<Item | undefined> {
    return this.transport.reportErrors(async () => {
      const response = await this.transport.call(method, this.#path(path), options, body);
      return response.status === 204 ? undefined : this.#parseItem(response);
    });
  }

  #path(path: readonly Id[]): readonly Id[] {
    return [...this.#parent, this.name, ...path];
  }

  #parseItem(response: ApiResponse): Item {
    if (hasFields<Item>(response.body, this.#fieldTypes)) return response.body;
    throw unexpectedBody(response, `a ${this.name.replace(/ies$/, "ys").slice(0, -1)}`);
  }

  /** All items of a list that has one page. Reports errors to `onError`. */
  list(path: readonly Id[], options?: CallOptions, query?: Record<string, string>): Promise<Item[]> {
    return this.transport.reportErrors(
      async () => (await this.requestPage(new URLSearchParams(query), options, path)).items,
    );
  }

  async requestPage(
    query: URLSearchParams,
    options?: CallOptions,
    path: readonly Id[] = [],
  ): Promise<ItemPage<Item>> {
    const response = await this.transport.call("GET", this.#path(path), options, undefined, {}, query);
    const { body, headers } = response;
    if (!Array.isArray(body) || !body.every((item: unknown) => this.isListed(item, query))) {
      throw unexpectedBody(response, `a list of ${this.name}`);
    }
    const count = headers.get("x-total-count");
    const capped = headers.get("x-total-count-capped") === "true";
    return {
      items: body,
      next: parseNextCursor(response),
      total: count === null ? undefined : { count: Number(count), capped },
    };
  }

  /** Whether the value is an item of a list. With `fields`, records may have no name. */
  isListed(value: unknown, query: URLSearchParams): value is Item {
    return hasFields(value, query.has("fields") ? { id: "number" } : this.#fieldTypes);
  }

  async delete(id: Id, options?: ChangeOptions, query?: URLSearchParams): Promise<void> {
    const response = await this.transport.call("DELETE", this.#path([id]), options, undefined, {}, query);
    if (response.body !== undefined) throw unexpectedBody(response, "empty");
  }
}

/**
 * The cursor in the URL of the next page, from the Link header. Only the cursor is used: the next request goes to the
 * client's own base URL, so that the key never reaches another origin.
 */
function parseNextCursor({ headers, attempt: { url } }: ApiResponse): string | undefined {
  const next = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get("link") ?? "")?.[1];
  if (next === undefined || !URL.canParse(next, url)) return undefined;
  return new URL(next, url).searchParams.get("after") ?? undefined;
}

export function unexpectedBody(response: ApiResponse, expected: string): ApiError {
  return new ApiError(
    response.attempt,
    response,
    `the response is not ${expected}. Is this a Roster service?`,
  );
}
