import { Suspense, useEffect, useMemo, useRef } from "react";
import { isStoredAsCustom } from "../../../contract/users/user-fields.ts";
import { describeError, isProblem } from "../../lib/api.ts";
import { useCommands } from "../../lib/commands.ts";
import { overList } from "../../lib/over-list.ts";
import { useHasScope } from "../../lib/session.ts";
import { itemAt, loadedItems, positionOf } from "../../lib/sparse-list.ts";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import { LiveNotice } from "../../live/live-notice.tsx";
import { showHelp } from "../../shortcuts/show-help.tsx";
import { useShortcuts } from "../../shortcuts/use-shortcuts.ts";
import { formatNumber } from "../../texts/format.ts";
import { users as texts } from "../../texts/index.ts";
import { shortcuts } from "../../texts/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { lazyComponent, OverlayBoundary } from "../../ui/error-boundary.tsx";
import { Keyboard, Plus, RotateCw, UserRoundSearch } from "../../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { View } from "../../ui/view.tsx";
import { deleteUser } from "../delete-user.tsx";
import type { Neighbours } from "../detail/user-drawer.tsx";
import { ExportButton } from "../export/export-button.tsx";
import { useFields } from "../field-info.ts";
import { listFields } from "../fields.ts";
import { FilterButton, FilterChips } from "../filters/filters.tsx";
import { isFiltered, useListParams, useNavigateKeepingParams } from "../list-params.ts";
import { newUserCommand } from "../new-user-command.ts";
import { type LoadedUsers, reloadUsers } from "../queries.ts";
import { ListsButton } from "../saved-lists/lists-button.tsx";
import { ColumnButton } from "./column-button.tsx";
import { filteredFields, useColumnLayout } from "./column-layout.ts";
import { rowHeights, useDensity } from "./density.ts";
import { useSelection } from "./selection.ts";
import { SearchBox, SortSelect } from "./toolbar.tsx";
import { loadRange, useUserList } from "./use-user-list.ts";
import { UserTable } from "./user-table.tsx";

// Loaded when they are first opened.
const UserDrawer = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).UserDrawer);
const SelectionBar = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).SelectionBar);
const NoUsers = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).NoUsers);

const keys = shortcuts.users;

/** The table of users, and the drawer of the open one. `id` is an id or "new". */
export function UsersView({ id }: { readonly id: string | undefined }) {
  const [search, setSearch] = useListParams();
  const input = useRef<HTMLInputElement>(null);
  const canWrite = useHasScope("users:write");

  const users = useUserList(search);
  const { data, length, count } = users;
  const loaded = useMemo(() => (data ? loadedItems(data.list) : []), [data]);
  const customFields = useFields();
  const filtered = useMemo(() => filteredFields(search), [search]);
  const layout = useColumnLayout({ users: data && loaded, filtered });
  const { shown } = layout;
  const [density, setDensity] = useDensity();
  // On phones, rows are cards.
  const rowHeight = rowHeights[useMediaQuery("(width < 48rem), (pointer: coarse)") ? "comfortable" : density];
  // Keep the same array while the fields are the same, so the columns are not rebuilt.
  const fieldList = useMemo(() => {
    const known = customFields?.map(({ name }) => name) ?? shown.filter(isStoredAsCustom);
    return listFields(known, loaded).join("\n");
  }, [customFields, shown, loaded]);
  const fields = useMemo(() => fieldList.split("\n"), [fieldList]);
  const selection = useSelection(loaded);

  const go = useNavigateKeepingParams();
  const hasSelection = selection.users.length > 0 || selection.matching !== undefined;
  const total = count?.count;
  useShortcuts([
    [keys.search, () => input.current?.focus()],
    ...(canWrite ? [[keys.newUser, () => go("/users/new")] as const] : []),
    ...(hasSelection ? [[shortcuts.everywhere.close, selection.clear] as const] : []),
  ]);
  const newUser = { ...newUserCommand(() => go("/users/new")), hint: keys.newUser.shown };
  useCommands("users", canWrite ? [newUser] : []);

  const setQ = (q: string) => setSearch({ q });
  const areAllLoadedSelected = loaded.length > 0 && loaded.every(selection.has);
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
  const openPosition = data && openId !== undefined ? positionOf(data.list, openId) : undefined;
  useEffect(() => {
    // The next user may be on the next page.
    if (data && openPosition !== undefined)
      void loadRange(data.search, { first: openPosition, end: openPosition + 2 }).catch(() => undefined);
  }, [data, openPosition]);
  const enterRows = () => document.querySelector<HTMLElement>(".users tbody tr[tabindex='0']")?.focus();

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
            onClick={showHelp}
          />
          <Button
            kind="quiet"
            icon={<RotateCw aria-hidden />}
            aria-label={texts.refresh}
            title={texts.refresh}
            onClick={() => void reloadUsers()}
          />
          <ExportButton search={search} total={total} />
          {canWrite && create}
        </div>
      }
    >
      <div className="toolbar">
        <SearchBox value={search.q} onChange={setQ} onEnterRows={enterRows} input={input} />
        <FilterButton fields={fields} filters={search} onChange={setSearch} />
        <SortSelect sort={search.sort} onChange={(sort) => setSearch({ sort })} />
        <ListsButton search={search} layout={layout} />
        <ColumnButton fields={fields} layout={layout} density={density} onDensity={setDensity} />
      </div>
      <FilterChips fields={fields} filters={search} onChange={setSearch} />

      <LiveNotice search={search} loaded={loaded} />
      {isProblem(users.error, "invalid-query") ? (
        <EmptyState icon={UserRoundSearch} {...describeError(users.error)}>
          {clear}
        </EmptyState>
      ) : users.error && loaded.length === 0 ? (
        <ErrorState error={users.error} retry={users.retry} />
      ) : data && length === 0 ? (
        isFiltered(data.search) ? (
          <EmptyState icon={UserRoundSearch} title={texts.nothing.title} text={texts.nothing.text}>
            {clear}
          </EmptyState>
        ) : (
          <Suspense fallback={<Loading />}>
            <NoUsers />
          </Suspense>
        )
      ) : !layout.isKnown ? (
        <Loading />
      ) : (
        <UserTable
          users={data}
          search={search}
          length={length}
          isCapped={count?.capped ?? false}
          fields={fields}
          layout={layout}
          rowHeight={rowHeight}
          onSort={(sort) => setSearch({ sort })}
          selection={selection}
          openId={openId}
          onOpen={(user) => go(`/users/${user.id}`, { state: overList })}
          onDelete={canWrite ? (user) => void deleteUser(user) : undefined}
          isLoading={users.isLoading}
          isOld={users.isOld}
          error={users.error ?? undefined}
          onRetry={users.retry}
        />
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
            {...(openId !== undefined && { neighbours: findNeighbours(data, openPosition) })}
            onClose={() => go("/users")}
          />
        </OverlayBoundary>
      )}
    </View>
  );
}

/** The users before and after one in the list. */
function findNeighbours(users: LoadedUsers | undefined, position: number | undefined): Neighbours {
  if (!users || position === undefined) return { previous: undefined, next: undefined };
  const { list } = users;
  return { previous: itemAt(list, position - 1)?.id, next: itemAt(list, position + 1)?.id };
}
