import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { RowSelectionState } from "@tanstack/react-table";
import { Plus, RotateCw, Upload, UserRoundPlus, UserRoundSearch } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import type { User } from "../../client/index.ts";
import { formatNumber } from "../app/format.ts";
import { useMay } from "../app/who.ts";
import { shell, users as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Failure, Loading, State } from "../ui/states.tsx";
import { fieldsOf, useShownColumns } from "./columns.tsx";
import { deleteSoon, useDeleting } from "./deleting.ts";
import { countQuery, listQuery, reloadUsers } from "./list.ts";
import { isNarrowed, useSearchState } from "./search.ts";
import { useShortcuts } from "./shortcuts.ts";
import { ColumnButton, FilterButton, FilterChips, SearchBox, SortChoice } from "./toolbar.tsx";
import { UserTable } from "./user-table.tsx";

// What opens over the table is fetched when it first does.
const UserDrawer = lazy(() => import("./user-drawer.tsx"));
const SelectionBar = lazy(() => import("./selection-bar.tsx"));
const ExportButton = lazy(() => import("./export-button.tsx"));
const Help = lazy(() => import("./help.tsx"));

/** The users, and the one that is open, if any: an id, or `new`. */
export function UsersView({ id }: { readonly id: string | undefined }) {
  const [search, setSearch] = useSearchState();
  const [, navigate] = useLocation();
  const query = useSearch();
  const input = useRef<HTMLInputElement>(null);
  const [selection, setSelection] = useState<RowSelectionState>({});
  const [helping, setHelping] = useState(false);
  const mayWrite = useMay("users:write");

  const list = useInfiniteQuery(listQuery(search));
  const count = useQuery(countQuery(search)).data;
  const deleting = useDeleting();
  const loaded = useMemo(() => list.data?.pages.flatMap(({ users }) => users) ?? [], [list.data]);
  const users = useMemo(() => loaded.filter((user) => !deleting.has(user.id)), [loaded, deleting]);
  // The same fields are the same array, so that columns are made anew only when there are others.
  const fieldList = useMemo(() => fieldsOf(loaded).join("\n"), [loaded]);
  const fields = useMemo(() => fieldList.split("\n"), [fieldList]);
  const { shown, choose } = useShownColumns(fields);

  const go = useCallback(
    (path: string) => navigate(path + (query === "" ? "" : `?${query}`)),
    [navigate, query],
  );
  const close = useCallback(() => go("/"), [go]);
  const create = useCallback(() => go("/users/new"), [go]);
  useShortcuts({
    "/": () => input.current?.focus(),
    n: () => mayWrite && create(),
    "?": () => setHelping(true),
  });

  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const setQ = (q: string) => setSearch({ q });
  const selected = users.filter((user) => selection[user.id]);
  const foot = hasNextPage ? texts.loadingMore : texts.end(formatNumber(users.length));

  return (
    <div className="view users">
      <header className="view-head">
        <h1 className="view-title">
          {texts.title}
          {count && <span className="count">{texts.count(formatNumber(count.count), count.capped)}</span>}
        </h1>
        <div className="actions">
          <Button
            kind="quiet"
            icon={<RotateCw aria-hidden />}
            aria-label={texts.refresh}
            title={texts.refresh}
            onClick={() => void reloadUsers()}
          />
          <Suspense>
            <ExportButton search={search} total={count?.count} />
          </Suspense>
          {mayWrite && (
            <Button kind="primary" icon={<Plus aria-hidden />} onClick={create}>
              {texts.newUser}
            </Button>
          )}
        </div>
      </header>
      <div className="toolbar">
        <SearchBox value={search.q} onChange={setQ} input={input} />
        <FilterButton fields={fields} where={search.where} onChange={(where) => setSearch({ where })} />
        <SortChoice sort={search.sort} onChange={(sort) => setSearch({ sort })} />
        <ColumnButton fields={fields} shown={shown} onChange={choose} />
      </div>
      <FilterChips where={search.where} onChange={(where) => setSearch({ where })} />

      {list.isPending ? (
        <Loading />
      ) : list.error && loaded.length === 0 ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : users.length === 0 && !hasNextPage ? (
        isNarrowed(search) ? (
          <State icon={UserRoundSearch} title={texts.nothing.title} text={texts.nothing.text}>
            <Button onClick={() => setSearch({ q: "", where: {} })}>{texts.nothing.action}</Button>
          </State>
        ) : (
          <State icon={UserRoundPlus} title={texts.empty.title} text={texts.empty.text}>
            {mayWrite && (
              <Button kind="primary" icon={<Plus aria-hidden />} onClick={create}>
                {texts.newUser}
              </Button>
            )}
            {mayWrite && (
              <Link href="/import" className="button plain">
                <Upload aria-hidden />
                {shell.import}
              </Link>
            )}
            <Link href="/connect" className="button plain">
              {shell.connect}
            </Link>
          </State>
        )
      ) : (
        <UserTable
          users={users}
          fields={fields}
          shown={shown}
          total={count?.count}
          sort={search.sort}
          onSort={(sort) => setSearch({ sort })}
          selection={selection}
          onSelection={setSelection}
          openId={id === undefined ? undefined : Number(id)}
          onOpen={(user) => go(`/users/${user.id}`)}
          onDelete={(user: User) => mayWrite && deleteSoon([user])}
          onEnd={more}
          loading={list.isFetching}
          foot={isFetchNextPageError ? undefined : foot}
        />
      )}
      {isFetchNextPageError && (
        <div className="grid-foot" role="alert">
          <Button onClick={() => void fetchNextPage()}>{shell.retry}</Button>
        </div>
      )}

      <Suspense>
        {selected.length > 0 && (
          <SelectionBar users={selected} fields={fields} onClear={() => setSelection({})} />
        )}
        {id !== undefined && (
          <UserDrawer key={id} id={id === "new" ? undefined : Number(id)} onClose={close} />
        )}
        {helping && <Help onClose={() => setHelping(false)} />}
      </Suspense>
    </div>
  );
}
