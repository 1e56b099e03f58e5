import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { Clock } from "../../domain/clock.ts";
import type { ListQuery, Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { fillPage } from "./fill-page.ts";
import type { ListOrigin, ListReads } from "./list-reads.ts";
import { countInRounds } from "./plans/count.ts";

/** What the lists of a store are made of. */
interface ListStoreParts {
  readonly lists: ListReads;
  /** The number of rows of a list, if the database knows it without counting. */
  readonly countKnown: (query: ListQuery) => MaybePromise<number> | undefined;
  readonly clock: Clock;
}

/** The methods of a store that list its rows. */
interface ListStore {
  list(query: ListQuery, findOwner?: () => string): MaybePromise<Page>;
  explain(query: ListQuery, findOwner?: () => string): Promise<ListExplanation>;
}

/** The lists of a store, for any resource and any engine. */
export function listStore({ lists, countKnown, clock }: ListStoreParts): ListStore {
  const countMatches = async (query: ListQuery, { findOwner }: ListOrigin) => {
    const known = countKnown(query);
    if (known !== undefined) return { count: await known, capped: false };
    // Each round may wait for its turn: together they can take longer than one list may wait.
    const runRound = (after: number | undefined) =>
      lists.countRound(query, after, { since: clock.running(), findOwner });
    return countInRounds(runRound, clock, query.countMs);
  };
  return {
    list(query, findOwner) {
      const origin = { since: clock.running(), findOwner };
      const read = () => fillPage(query, (part) => lists.page(part, origin));
      const page = isFirstPage(query) ? lists.keepPage(query.name, read) : read();
      return query.count ? withTotal(query, page, () => countMatches(query, origin)) : page;
    },
    explain: (query, findOwner) => lists.explain(query, { since: clock.running(), findOwner }),
  };
}

function isFirstPage(query: ListQuery): query is ListQuery & { readonly name: string } {
  const { name, from, offset, format } = query;
  return name !== undefined && from === undefined && offset === 0 && format === undefined;
}

/** A page that ends with the list tells how many rows the list has. */
async function withTotal(
  { from, offset }: ListQuery,
  reading: MaybePromise<Page>,
  count: () => Promise<Page["total"]>,
): Promise<Page> {
  const page = await reading;
  const isEnd = page.next === undefined && from === undefined && (offset === 0 || page.size > 0);
  return { ...page, total: isEnd ? { count: offset + page.size, capped: false } : await count() };
}
