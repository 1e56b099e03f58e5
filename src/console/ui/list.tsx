import type { ReactNode } from "react";
import { describeInLine } from "../lib/api.ts";
import { shell, list as texts } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { ListTable, type ListTableProps } from "./list-table.tsx";
import { ErrorState } from "./states.tsx";

/** The entries after those that are loaded. */
interface MoreItems {
  readonly isLoading: boolean;
  /** Why they could not be loaded. */
  readonly error?: unknown;
  readonly load: () => void;
}

/** What a list shows beside its entries, or in place of them. */
export interface ListStates {
  /** Why the first entries could not be loaded. */
  readonly error?: unknown;
  readonly onRetry?: () => void;
  /** In place of a list without entries. */
  readonly empty?: ReactNode;
  /** Undefined if all entries are loaded. */
  readonly more?: MoreItems | undefined;
}

interface ListProps<Item> extends ListStates, ListTableProps<Item> {}

/** The entries of a resource, or why there are none: they are being loaded, the service failed, or there are none. */
export function List<Item>({ error, onRetry, empty, more, ...table }: ListProps<Item>) {
  const { items } = table;
  const isEmpty = items === undefined || items.length === 0;
  if (error && isEmpty) return <ErrorState error={error} {...(onRetry && { retry: onRetry })} />;
  if (items?.length === 0 && !more) return empty;
  return (
    <>
      <ListTable {...table} />
      {items && more && <ListEnd {...more} />}
    </>
  );
}

function ListEnd({ isLoading, error, load }: MoreItems) {
  const hasFailed = error !== undefined && error !== null;
  return (
    <div className="list-end">
      {hasFailed && <p role="alert">{describeInLine(error)}</p>}
      <Button busy={isLoading} onClick={load}>
        {hasFailed ? shell.retry : texts.more}
      </Button>
    </div>
  );
}

export interface InfiniteList {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly error: unknown;
  readonly fetchNextPage: () => unknown;
}

/** The next page of a query. */
export function nextPage(query: InfiniteList): MoreItems | undefined {
  if (!query.hasNextPage) return undefined;
  return {
    isLoading: query.isFetchingNextPage,
    error: query.isFetchNextPageError ? query.error : undefined,
    load: () => void query.fetchNextPage(),
  };
}
