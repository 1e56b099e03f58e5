import { ApiError } from "./errors.ts";
import { fits, type Marks } from "./fits.ts";
import type { Session } from "./session.ts";
import type { Answer } from "./transport.ts";
import type { CallOptions, ChangeOptions, Page } from "./types.ts";

export type Id = number | string;

/** One page of a list. */
export interface Part<Item> extends Pick<Page, "next" | "total"> {
  readonly items: Item[];
}

/** What the service keeps of one kind: the calls that are answered with one of them, with several, with nothing. */
export class Records<Item> {
  constructor(
    readonly session: Session,
    /** In addresses and in messages. */
    readonly name: "users" | "keys",
    readonly marks: Marks,
  ) {}

  /** The same as `one`, and `onError` is told if it fails. */
  ask(...call: Parameters<Records<Item>["one"]>): Promise<Item> {
    return this.session.telling(() => this.one(...call));
  }

  async one(
    method: string,
    path: readonly Id[],
    options?: ChangeOptions,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Item> {
    const answer = await this.session.call(method, [this.name, ...path], options, body, headers);
    if (fits<Item>(answer.body, this.marks)) return answer.body;
    throw misfit(answer, `a ${this.name.slice(0, -1)}`);
  }

  async some(query: URLSearchParams, options: CallOptions): Promise<Part<Item>> {
    const answer = await this.session.call("GET", [this.name], options, undefined, {}, query);
    const { body, headers } = answer;
    if (!Array.isArray(body) || !body.every((item: unknown) => fits<Item>(item, this.marks))) {
      throw misfit(answer, `a list of ${this.name}`);
    }
    const count = headers.get("x-total-count");
    const capped = headers.get("x-total-count-capped") === "true";
    return {
      items: body,
      next: nextOf(answer),
      total: count === null ? undefined : { count: Number(count), capped },
    };
  }

  async delete(id: Id, options?: ChangeOptions): Promise<void> {
    const answer = await this.session.call("DELETE", [this.name, id], options);
    if (answer.body !== undefined) throw misfit(answer, "empty");
  }
}

/** The cursor in the address of the next page. */
function nextOf({ headers, asked: { url } }: Answer): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get("link") ?? "")?.[1];
  return address === undefined ? undefined : (new URL(address, url).searchParams.get("after") ?? undefined);
}

function misfit(answer: Answer, what: string): ApiError {
  return new ApiError(answer.asked, answer, `the answer is not ${what}: is this a Roster service?`);
}
