import type { ListQuery } from "../../../domain/lists/listing.ts";
import type { RowReader } from "./row-reader.ts";

/** How one statement finds a page. `condition` is the position of the leading condition in the plan. */
export type PageStrategy =
  /** Reads the rows in the order of the list: all of them match. */
  | { readonly kind: "all" }
  /** Scans in the order of the list. `perResult` rows for each requested row fill the page. */
  | { readonly kind: "scan"; readonly perResult: number }
  /** Fetches and sorts all rows of a condition. */
  | { readonly kind: "sort"; readonly condition: number }
  /** Reads the index of a condition in order of id: all that is left of a short index, or a part that fills the page. */
  | { readonly kind: "index"; readonly condition: number; readonly isShort: boolean };

export interface RememberedPlan {
  readonly rows: RowReader;
  readonly strategy: PageStrategy;
}

interface Entry {
  readonly plan: RememberedPlan;
  readonly until: number;
}

/** The most lists to remember. */
const MAX_PLANS = 256;
/** Then a list is planned again: writes may have made another plan better, or this one long. */
const VALID_MS = 10_000;

/**
 * Remembers how pages of recent lists were found, so that the next page of the same list needs one statement. What a plan assumes
 * about the data is checked again with each page: a plan that is outdated costs time, and never changes what a list finds.
 */
export class PlanMemory {
  readonly #entries = new Map<string, Entry>();

  recall(query: ListQuery): RememberedPlan | undefined {
    if (query.offset > 0 || (query.from && query.from.skip > 0)) return undefined;
    const entry = this.#entries.get(keyOf(query));
    return entry && entry.until > performance.now() ? entry.plan : undefined;
  }

  remember(query: ListQuery, plan: RememberedPlan): void {
    const key = keyOf(query);
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < MAX_PLANS) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { plan, until: performance.now() + VALID_MS });
  }

  forget(query: ListQuery): void {
    this.#entries.delete(keyOf(query));
  }
}

/** Two lists with the same key have the same conditions and the same order. */
function keyOf(query: ListQuery): string {
  const { sort, descending, search, filters, expression } = query;
  const order = `${descending ? "-" : "+"}${typeof sort === "string" ? sort : JSON.stringify(sort.custom)}`;
  const conditions = [filters, search, expression];
  return order + JSON.stringify(conditions);
}
