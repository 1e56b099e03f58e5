import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { CountedFieldValue, CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import type { ListQuery, Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";

/** When a list began, and whose list it is. */
export interface ListOrigin {
  readonly since: number;
  readonly findOwner: (() => string) | undefined;
}

/** The result of one round of a count. `last` is where the next round starts; undefined after the last round. */
export interface CountRound {
  readonly found: number;
  readonly last: number | undefined;
}

/** How an engine reads the lists of one resource. */
export interface ListReads {
  /** A page with bounded work: it can be short and still have a next page. */
  page(query: ListQuery, origin: ListOrigin): MaybePromise<Page>;
  /** How the page is found, with the work of one round, and without what is remembered or kept. */
  explain(query: ListQuery, origin: ListOrigin): Promise<ListExplanation>;
  /** The page that `read` returns, or that it returned for the list of this name before, if no row has changed since. */
  keepPage(name: string, read: () => MaybePromise<Page>): MaybePromise<Page>;
  /** Counts the matches after an id, with bounded work. */
  countRound(query: ListQuery, after: number | undefined, origin: ListOrigin): Promise<CountRound>;
  /** The custom fields that rows have. */
  customFields(owner?: string): Promise<CustomField[]>;
  /** The first values of a field; with a prefix, only texts that start with it. */
  fieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]>;
  /** The same values, each with the number of rows that have it, with bounded work. */
  fieldValueCounts(field: string, prefix: string, owner?: string): Promise<CountedFieldValue[]>;
}
