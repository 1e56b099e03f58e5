import { useEffect, useState } from "react";
import type { Key } from "../../client/index.ts";
import { scopes as everyScope } from "../../contract/keys/key.ts";
import { formatNumber } from "../texts/format.ts";
import { scopes, shell, keys as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { KeyRound, SearchX } from "../ui/icons.ts";
import { SearchField } from "../ui/search-field.tsx";
import { EmptyState } from "../ui/states.tsx";
import { KeyItem } from "./key-item.tsx";
import { isActive, matches } from "./queries.ts";

interface KeyListProps {
  readonly keys: readonly Key[];
  /** The key that was created in this view. */
  readonly newKeyId: number | undefined;
  readonly currentId: number | undefined;
  readonly more: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly onUsage: (item: Key) => void;
  readonly onReplace: (item: Key) => void;
  readonly onRevoke: (item: Key) => void;
}

/** How many more keys "Show more" shows. */
const STEP = 50;
/** With more keys than this, the list has a search field. */
const SEARCH_FROM = 8;

export function KeyList({ keys, newKeyId, currentId, more, onUsage, onReplace, onRevoke }: KeyListProps) {
  const [find, setFind] = useState("");
  const [showInactive, setShowInactive] = useState(false);
  const [limit, setLimit] = useState(STEP);
  const found = keys.filter((key) => matches(key, find) && (showInactive || isActive(key)));
  const shown = found.slice(0, limit);
  const inactiveCount = keys.filter((key) => !isActive(key)).length;

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = more;
  const needsMore = found.length < limit && hasNextPage;
  useEffect(() => {
    if (needsMore && !isFetchingNextPage && !isFetchNextPageError) fetchNextPage();
  }, [needsMore, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  return (
    <>
      {(keys.length > SEARCH_FROM || inactiveCount > 0 || currentId === 0) && (
        <div className="key-tools">
          {(keys.length > SEARCH_FROM || find !== "") && (
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
      {shown.length > 0 ? (
        <ul className="keys-list" aria-label={texts.list}>
          {shown.map((item) => (
            <KeyItem
              key={item.id}
              item={item}
              isCurrent={item.id === currentId}
              isNew={item.id === newKeyId}
              onUsage={() => onUsage(item)}
              onReplace={() => onReplace(item)}
              onRevoke={() => onRevoke(item)}
            />
          ))}
        </ul>
      ) : (
        !needsMore &&
        (find !== "" ? (
          <EmptyState icon={SearchX} title={texts.notFound.title} text={texts.notFound.text}>
            <Button onClick={() => setFind("")}>{texts.clearFind}</Button>
          </EmptyState>
        ) : (
          <EmptyState icon={KeyRound} title={texts.nothing.title} text={texts.nothing.text} />
        ))
      )}
      <ListEnd
        retry={isFetchNextPageError ? fetchNextPage : undefined}
        loading={needsMore || isFetchingNextPage}
        more={found.length > limit ? () => setLimit(limit + STEP) : undefined}
      />
      {shown.length > 0 && <Legend />}
    </>
  );
}

interface ListEndProps {
  readonly retry: (() => unknown) | undefined;
  readonly loading: boolean;
  readonly more: (() => void) | undefined;
}

/** Below the list: a retry button, a loading message, or "Show more". */
function ListEnd({ retry, loading, more }: ListEndProps) {
  if (retry) {
    return (
      <div className="keys-rest" role="alert">
        <Button onClick={() => void retry()}>{shell.retry}</Button>
      </div>
    );
  }
  if (loading) {
    return (
      <p className="keys-rest hint" role="status">
        {texts.loadingMore}
      </p>
    );
  }
  return (
    more && (
      <div className="keys-rest">
        <Button onClick={more}>{texts.more}</Button>
      </div>
    )
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
