import { type ReactNode, useEffect, useState } from "react";
import { useSearch } from "wouter/use-browser-location";
import type { Key } from "../../client/index.ts";
import { scopes as everyScope } from "../../contract/keys/key.ts";
import { formatNumber } from "../texts/format.ts";
import { scopes, keys as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { KeyRound, SearchX } from "../ui/icons.ts";
import { type InfiniteList, List, nextPage } from "../ui/list.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { EmptyState } from "../ui/states.tsx";
import { keyColumns } from "./key-columns.tsx";
import { KeyDetails } from "./key-details.tsx";
import { type KeyActions, KeyMenu } from "./key-menu.tsx";
import { isActive, matches } from "./queries.ts";

interface KeyListProps {
  /** Undefined until the first ones have arrived. */
  readonly keys: readonly Key[] | undefined;
  /** The key that was created in this view. */
  readonly newKeyId: number | undefined;
  readonly currentId: number | undefined;
  readonly query: InfiniteList & { readonly refetch: () => unknown };
  readonly actions: KeyActions;
  /** Shown instead of the list while there is no key. */
  readonly empty: ReactNode;
}

/** How many more keys "Show more" shows. */
const STEP = 50;
/** With more keys than this, the list has a search field. */
const SEARCH_FROM = 8;

export function KeyList(props: KeyListProps) {
  const { newKeyId, currentId, query, actions } = props;
  const keys = props.keys ?? [];
  // Links to one key have its prefix. What people type does not get into the address: it can be a whole key.
  const linked = new URLSearchParams(useSearch()).get("q") ?? "";
  const [find, setFind] = useState(linked);
  const [showInactive, setShowInactive] = useState(false);
  const [limit, setLimit] = useState(STEP);
  const found = keys.filter((key) => matches(key, find) && (showInactive || isActive(key)));
  const shown = found.slice(0, limit);
  const hasSearch = keys.length > SEARCH_FROM || find !== "" || linked !== "";
  const inactiveCount = keys.filter((key) => !isActive(key)).length;

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const needsMore = found.length < limit && hasNextPage;
  useEffect(() => {
    if (needsMore && !isFetchingNextPage && !isFetchNextPageError) fetchNextPage();
  }, [needsMore, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  return (
    <>
      {(hasSearch || inactiveCount > 0 || currentId === 0) && (
        <div className="tools">
          {hasSearch && (
            <SearchField label={texts.find} clearLabel={texts.clearFind} value={find} onChange={setFind} />
          )}
          {inactiveCount > 0 && (
            <label className="check-line">
              <input type="checkbox" checked={showInactive} onChange={() => setShowInactive(!showInactive)} />
              {texts.showInactive(formatNumber(inactiveCount) + (hasNextPage ? "+" : ""))}
            </label>
          )}
          {currentId === 0 && <p className="hint">{texts.environment}</p>}
        </div>
      )}
      <List
        label={texts.list}
        items={props.keys && shown}
        columns={keyColumns({ newKeyId, currentId })}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        isInactive={(key) => !isActive(key)}
        details={(key) => <KeyDetails item={key} />}
        menu={(key) => <KeyMenu item={key} {...actions} />}
        error={keys.length === 0 || isFetchNextPageError ? query.error : undefined}
        onRetry={() => void (isFetchNextPageError ? fetchNextPage() : query.refetch())}
        empty={
          keys.length === 0 ? (
            props.empty
          ) : find === "" ? (
            <EmptyState icon={KeyRound} title={texts.nothing.title} text={texts.nothing.text} />
          ) : (
            <EmptyState icon={SearchX} title={texts.notFound.title} text={texts.notFound.text}>
              <Button onClick={() => setFind("")}>{texts.clearFind}</Button>
            </EmptyState>
          )
        }
        more={
          needsMore
            ? nextPage(query)
            : found.length > limit
              ? { isLoading: false, load: () => setLimit(limit + STEP) }
              : undefined
        }
      />
      {shown.length > 0 && <Legend />}
    </>
  );
}

function Legend() {
  return (
    <section className="key-legend">
      <h2 className="section-title">{texts.scopesTitle}</h2>
      <dl>
        {everyScope.map((scope) => (
          <div key={scope}>
            <dt>
              <span className="badge">{scopes[scope].name}</span> <code className="none">{scope}</code>
            </dt>
            <dd className="hint">{scopes[scope].text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
