import type { ListQuery } from "../../../domain/lists/listing.ts";
import type { Checks } from "./checked-steps.ts";
import type { Estimates, PlannedWork } from "./choose-plan.ts";
import type { RowReader } from "./row-reader.ts";

/** A list that is planned, and what is known about it. */
export interface EstimatedList {
  readonly rows: RowReader;
  readonly estimates: Estimates;
}

export interface RememberedList extends Pick<EstimatedList, "rows"> {
  readonly checks: Checks;
  /** What the search for the last page has left. */
  estimates: Estimates;
  /** The last plan that found rows, if there were conditions. */
  work: PlannedWork | undefined;
  /** One statement found the last page. */
  isOneStatement: boolean;
}

interface Entry {
  readonly list: RememberedList;
  readonly until: number;
}

/** The most lists to remember. */
const MAX_LISTS = 256;
/** Then a list is estimated again: writes may have made another plan better. */
const VALID_MS = 10_000;

/** Remembers the conditions and estimates of recent lists, so that their next pages need no planning. */
export class PlanMemory {
  readonly #entries = new Map<string, Entry>();

  recall(query: ListQuery): RememberedList | undefined {
    const entry = this.#entries.get(keyOf(query));
    return entry && entry.until > performance.now() ? entry.list : undefined;
  }

  remember(query: ListQuery, list: RememberedList): void {
    const key = keyOf(query);
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < MAX_LISTS) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { list, until: performance.now() + VALID_MS });
  }

  forget(query: ListQuery): void {
    this.#entries.delete(keyOf(query));
  }
}

/** Two lists with the same key have the same conditions and the same order. A name never starts with a sign. */
function keyOf(query: ListQuery): string {
  const { name, sort, descending, search, filters, expression } = query;
  if (name !== undefined) return name;
  const order = `${descending ? "-" : "+"}${typeof sort === "string" ? sort : JSON.stringify(sort.custom)}`;
  return order + JSON.stringify([filters, search, expression]);
}
