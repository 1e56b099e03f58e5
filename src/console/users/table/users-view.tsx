import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { User } from "../../../client/index.ts";
import { isStoredAsCustom } from "../../../contract/users/user-fields.ts";
import { describeError, isProblem } from "../../lib/api.ts";
import { overList } from "../../lib/over-list.ts";
import { useHasScope } from "../../lib/session.ts";
import { LiveNotice } from "../../live/live-notice.tsx";
import { formatNumber } from "../../texts/format.ts";
import { shell, users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBoundary, lazyComponent, OverlayBoundary } from "../../ui/error-boundary.tsx";
import { Keyboard, Plus, RotateCw, UserRoundSearch } from "../../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { View } from "../../ui/view.tsx";
import type { Neighbours } from "../detail/user-drawer.tsx";
import { useFields } from "../field-info.ts";
import { listFields } from "../fields.ts";
import { FilterButton, FilterChips } from "../filters/filters.tsx";
import { formatListParams, isFiltered, useListParams, useNavigateKeepingParams } from "../list-params.ts";
import { countQuery, listQuery, reloadUsers } from "../queries.ts";
import { ListsButton } from "../saved-lists/lists-button.tsx";
import { deleteWithUndo, useHiddenUserIds } from "../undoable-delete.ts";
import { ColumnButton } from "./column-button.tsx";
import { useColumnLayout } from "./column-layout.ts";
import { rowHeights, useDensity } from "./density.ts";
import { useSelection } from "./selection.ts";
import { useShortcuts } from "./shortcuts.ts";
import { SearchBox, SortSelect } from "./toolbar.tsx";
import { UserTable } from "./user-table.tsx";

// Loaded when they are first opened.
const UserDrawer = lazyComponent(() => import("../detail/user-drawer.tsx"));
const SelectionBar = lazyComponent(() => import("../bulk/selection-bar.tsx"));
const ExportButton = lazyComponent(() => import("../export/export-button.tsx"));
const NoUsers = lazyComponent(() => import("../empty/no-users.tsx"));
const ShortcutsHelp = lazyComponent(() => import("./shortcuts-help.tsx"));

/** The table of users, and the drawer of the open one. `id` is an id or "new". */
export function UsersView({ id }: { readonly id: string | undefined }) {
  const [search, setSearch] = useListParams();
  const input = useRef<HTMLInputElement>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const canWrite = useHasScope("users:write");

  const list = useInfiniteQuery(listQuery(search));
  const count = useQuery(countQuery(search)).data;
  const hiddenIds = useHiddenUserIds();
  const loaded = useMemo(() => list.data?.pages.flatMap(({ users }) => users) ?? [], [list.data]);
  const users = useMemo(() => loaded.filter((user) => !hiddenIds.has(user.id)), [loaded, hiddenIds]);
  const customFields = useFields();
  const layout = useColumnLayout(customFields);
  const { shown } = layout;
  const [density, setDensity] = useDensity();
  // Keep the same array while the fields are the same, so the columns are not rebuilt.
  const fieldList = useMemo(() => {
    const known = customFields?.map(({ name }) => name) ?? shown.filter(isStoredAsCustom);
    return listFields(known, loaded).join("\n");
  }, [customFields, shown, loaded]);
  const fields = useMemo(() => fieldList.split("\n"), [fieldList]);
  const selection = useSelection(users);

  const go = useNavigateKeepingParams();
  const hasSelection = selection.users.length > 0 || selection.matching !== undefined;
  // Users whose delete can still be undone are hidden, and don't count.
  const total = count && count.count - (loaded.length - users.length);
  useShortcuts({
    "/": () => input.current?.focus(),
    n: () => canWrite && go("/users/new"),
    "?": () => setHelpOpen(true),
    ...(hasSelection && { Escape: selection.clear }),
  });

  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = list;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const setQ = (q: string) => setSearch({ q });
  const areAllLoadedSelected = users.length > 0 && users.every(({ id: userId }) => selection.rows[userId]);
  const more = total !== undefined && areAllLoadedSelected && total > selection.users.length;
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} onClick={() => go("/users/new")}>
      {texts.newUser}
    </Button>
  );
  const clear = (
    <Button onClick={() => setSearch({ q: "", filter: "", where: {} })}>{texts.nothing.action}</Button>
  );
  const openId = id === undefined || id === "new" ? undefined : Number(id);
  const isLastOpen = openId !== undefined && users.at(-1)?.id === openId;
  useEffect(() => {
    // The next user may be on the next page.
    if (isLastOpen) loadMore();
  }, [isLastOpen, loadMore]);
  const foot = hasNextPage ? texts.loadingMore : texts.end(users.length);

  return (
    <View
      name="users"
      title={texts.title}
      count={count && texts.count(formatNumber(total ?? 0), count.capped)}
      aside={
        <div className="actions">
          <Button
            kind="quiet"
            className="help-button"
            icon={<Keyboard aria-hidden />}
            aria-label={texts.help}
            title={texts.help}
            onClick={() => setHelpOpen(true)}
          />
          <Button
            kind="quiet"
            icon={<RotateCw aria-hidden />}
            aria-label={texts.refresh}
            title={texts.refresh}
            onClick={() => void reloadUsers()}
          />
          <ErrorBoundary fallback={() => null}>
            <Suspense>
              <ExportButton search={search} total={total} />
            </Suspense>
          </ErrorBoundary>
          {canWrite && create}
        </div>
      }
    >
      <div className="toolbar">
        <SearchBox value={search.q} onChange={setQ} input={input} />
        <FilterButton fields={fields} filters={search} onChange={setSearch} />
        <SortSelect sort={search.sort} onChange={(sort) => setSearch({ sort })} />
        <ListsButton search={search} layout={layout} />
        <ColumnButton fields={fields} layout={layout} density={density} onDensity={setDensity} />
      </div>
      <FilterChips fields={fields} filters={search} onChange={setSearch} />

      <LiveNotice search={search} loaded={loaded} />
      {list.isPending ? (
        <Loading />
      ) : isProblem(list.error, "invalid-query") ? (
        <EmptyState icon={UserRoundSearch} {...describeError(list.error)}>
          {clear}
        </EmptyState>
      ) : list.error && loaded.length === 0 ? (
        <ErrorState error={list.error} retry={() => void list.refetch()} />
      ) : users.length === 0 && !hasNextPage ? (
        isFiltered(search) ? (
          <EmptyState icon={UserRoundSearch} title={texts.nothing.title} text={texts.nothing.text}>
            {clear}
          </EmptyState>
        ) : (
          <Suspense fallback={<Loading />}>
            <NoUsers />
          </Suspense>
        )
      ) : (
        <UserTable
          users={users}
          fields={fields}
          layout={layout}
          rowHeight={rowHeights[density]}
          total={total}
          listKey={formatListParams(search)}
          // A list of its own, with its own scroll position.
          key={formatListParams(search)}
          sort={search.sort}
          onSort={(sort) => setSearch({ sort })}
          selection={selection.rows}
          onSelection={selection.setRows}
          openId={openId}
          onOpen={(user) => go(`/users/${user.id}`, { state: overList })}
          onDelete={canWrite ? (user) => deleteWithUndo([user]) : undefined}
          onEnd={loadMore}
          loading={list.isFetching}
          foot={isFetchNextPageError ? undefined : foot}
        />
      )}
      {isFetchNextPageError && (
        <div className="grid-foot" role="alert">
          <Button onClick={() => void fetchNextPage()}>{shell.retry}</Button>
        </div>
      )}

      {hasSelection && (
        <OverlayBoundary onClose={selection.clear}>
          <SelectionBar
            selection={selection}
            fields={fields}
            more={more ? { search, count: total } : undefined}
          />
        </OverlayBoundary>
      )}
      {id !== undefined && (
        <OverlayBoundary key={id} onClose={() => go("/users")}>
          <UserDrawer
            id={openId}
            {...(openId !== undefined && { neighbours: findNeighbours(users, openId) })}
            onClose={() => go("/users")}
          />
        </OverlayBoundary>
      )}
      {isHelpOpen && (
        <OverlayBoundary onClose={() => setHelpOpen(false)}>
          <ShortcutsHelp onClose={() => setHelpOpen(false)} />
        </OverlayBoundary>
      )}
    </View>
  );
}

/** The users before and after one in the list. */
function findNeighbours(users: readonly User[], id: number): Neighbours {
  const index = users.findIndex((user) => user.id === id);
  if (index < 0) return { previous: undefined, next: undefined };
  return { previous: users[index - 1]?.id, next: users[index + 1]?.id };
}
