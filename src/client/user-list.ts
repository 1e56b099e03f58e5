import type { Session } from "./session.ts";
import { toUsers } from "./to-user.ts";
import type { Answer } from "./transport.ts";
import type { ListOptions, OpenFields, Page, User } from "./types.ts";

/** What these mean in a query is not a field. */
const PARAMETERS = new Set(["limit", "after", "offset", "sort", "q", "count"]);
/** How many have any of no values. */
const NOBODY = { count: 0, capped: false };

/** The users that a list has, fetched as they are asked for. */
export class UserList<Own = OpenFields> implements AsyncIterable<User<Own>> {
  constructor(
    readonly session: Session,
    readonly options: ListOptions,
  ) {}

  /** Every user, page after page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<User<Own>, void, undefined> {
    let after = this.options.after;
    let page: Page<Own>;
    do {
      page = await this.session.telling(() => this.#fetch(after, false));
      yield* page.users;
      after = page.next;
    } while (after !== undefined);
  }

  /** One page; with `count`, how many there are in all. */
  page({ count = false }: { count?: boolean } = {}): Promise<Page<Own>> {
    return this.session.telling(() => this.#fetch(this.options.after, count));
  }

  /** All of them in one array. Throws a RangeError if there are more than `most`, rather than to fill the memory. */
  async all({ most = 10_000 }: { most?: number } = {}): Promise<User<Own>[]> {
    const users: User<Own>[] = [];
    for await (const user of this) {
      if (users.length >= most) {
        const what = `There are more than ${most} users: iterate over the list, or say { most }.`;
        return this.session.telling(() => {
          throw new RangeError(what);
        });
      }
      users.push(user);
    }
    return users;
  }

  async #fetch(after: string | undefined, count: boolean): Promise<Page<Own>> {
    const { q, sort, limit, offset, where = {}, signal, timeout } = this.options;
    const query = new URLSearchParams();
    const set = (name: string, value: string | number | undefined) => {
      if (value !== undefined) query.append(name, String(value));
    };
    for (const [field, given] of Object.entries(where)) {
      if (PARAMETERS.has(field)) throw new RangeError(`Users cannot be filtered by a field called ${field}.`);
      const values = Array.isArray(given) ? given : [given];
      if (values.length === 0) return { users: [], next: undefined, total: count ? NOBODY : undefined };
      for (const value of values) set(field, String(value));
    }
    set("q", q);
    set("sort", sort);
    set("limit", limit);
    if (after === undefined) set("offset", offset);
    else set("after", after);
    if (count) set("count", "true");
    const answer = await this.session.call(
      "GET",
      ["users"],
      { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) },
      undefined,
      {},
      query,
    );
    return { users: toUsers(answer), next: nextOf(answer), total: totalOf(answer) };
  }
}

/** The cursor in the address of the next page. */
function nextOf({ headers, asked: { url } }: Answer): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get("link") ?? "")?.[1];
  return address === undefined ? undefined : (new URL(address, url).searchParams.get("after") ?? undefined);
}

function totalOf({ headers }: Answer): Page["total"] {
  const count = headers.get("x-total-count");
  return count === null
    ? undefined
    : { count: Number(count), capped: headers.get("x-total-count-capped") === "true" };
}
