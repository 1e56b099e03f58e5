import { ApiError } from "./errors.ts";
import { type FieldTypes, hasFields } from "./has-fields.ts";
import type { ServiceTransport } from "./service-transport.ts";
import type { ApiResponse } from "./transport.ts";
import type { CallOptions, ChangeOptions, Page } from "./types.ts";

export type Id = number | string;

/** One page of a list. */
export interface ItemPage<Item> extends Pick<Page, "next" | "total"> {
  readonly items: Item[];
}

/** What the service keeps of one kind: the calls that are answered with one of them, with several, with nothing. */
export class Resource<Item> {
  constructor(
    readonly transport: ServiceTransport,
    /** In addresses and in messages. */
    readonly name: "users" | "keys",
    readonly fieldTypes: FieldTypes,
  ) {}

  /** The same as `one`, and `onError` is told if it fails. */
  call(...call: Parameters<Resource<Item>["requestItem"]>): Promise<Item> {
    return this.transport.reportErrors(() => this.requestItem(...call));
  }

  async requestItem(
    method: string,
    path: readonly Id[],
    options?: ChangeOptions,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Item> {
    const answer = await this.transport.call(method, [this.name, ...path], options, body, headers);
    if (hasFields<Item>(answer.body, this.fieldTypes)) return answer.body;
    throw unexpectedBody(answer, `a ${this.name.slice(0, -1)}`);
  }

  async requestPage(query: URLSearchParams, options: CallOptions): Promise<ItemPage<Item>> {
    const answer = await this.transport.call("GET", [this.name], options, undefined, {}, query);
    const { body, headers } = answer;
    if (!Array.isArray(body) || !body.every((item: unknown) => hasFields<Item>(item, this.fieldTypes))) {
      throw unexpectedBody(answer, `a list of ${this.name}`);
    }
    const count = headers.get("x-total-count");
    const capped = headers.get("x-total-count-capped") === "true";
    return {
      items: body,
      next: parseNextCursor(answer),
      total: count === null ? undefined : { count: Number(count), capped },
    };
  }

  async delete(id: Id, options?: ChangeOptions): Promise<void> {
    const answer = await this.transport.call("DELETE", [this.name, id], options);
    if (answer.body !== undefined) throw unexpectedBody(answer, "empty");
  }
}

/** The cursor in the address of the next page. */
function parseNextCursor({ headers, attempt: { url } }: ApiResponse): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get("link") ?? "")?.[1];
  return address === undefined ? undefined : (new URL(address, url).searchParams.get("after") ?? undefined);
}

function unexpectedBody(answer: ApiResponse, what: string): ApiError {
  return new ApiError(answer.attempt, answer, `the answer is not ${what}: is this a Roster service?`);
}
