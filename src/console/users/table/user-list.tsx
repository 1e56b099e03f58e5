import { type ReactNode, Suspense, useMemo, useRef } from "react";
import type { User } from "../../../client/index.ts";
import { isStoredAsCustom } from "../../../contract/users/user-fields.ts";
import { describeError, isProblem } from "../../lib/api.ts";
import { loadedItems } from "../../lib/sparse-list.ts";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import { LiveNotice } from "../../live/live-notice.tsx";
import { useShortcuts } from "../../shortcuts/use-shortcuts.ts";
import { users as texts } from "../../texts/index.ts";
import { shortcuts } from "../../texts/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { lazyComponent, OverlayBoundary } from "../../ui/error-boundary.tsx";
import { UserRoundSearch } from "../../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { useFields } from "../field-info.ts";
import { listFields } from "../fields.ts";
import { FilterButton, FilterChips } from "../filters/filters.tsx";
import { isFiltered, type ListParams } from "../list-params.ts";
import { ListsButton } from "../saved-lists/lists-button.tsx";
import { ColumnButton } from "./column-button.tsx";
import { useColumnLayout } from "./column-layout.ts";
import { rowHeights, useDensity } from "./density.ts";
import type { Removal } from "./row-menu.tsx";
import { type Selection, useSelection } from "./selection.ts";
import { SearchBox, SortSelect } from "./toolbar.tsx";
import { useUserList } from "./use-user-list.ts";
import { UserTable } from "./user-table.tsx";

// Loaded when it is first opened.
const SelectionBar = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).SelectionBar);

/** The users that a search finds, as far as they are loaded, and those that are selected. */
export function useOpenList(search: ListParams) {
  const users = useUserList(search);
  const { data } = users;
  const loaded = useMemo(() => (data ? loadedItems(data.list) : []), [data]);
  return { search, users, loaded, selection: useSelection(loaded) };
}

interface UserListProps {
  readonly list: ReturnType<typeof useOpenList>;
  readonly onSearch: (change: Partial<ListParams>) => void;
  /** The user in the drawer. */
  readonly openId?: number | undefined;
  readonly onOpen: (user: User) => void;
  readonly removal: Removal | undefined;
  /** In place of a list without users. */
  readonly empty: ReactNode;
  /** Buttons for the selected users, besides those of every list. */
  readonly selectionTools?: ((selection: Selection) => ReactNode) | undefined;
}

/** A table of users with search, filters, columns and actions for the selected users. */
export function UserList({ list, onSearch, openId, onOpen, removal, empty, selectionTools }: UserListProps) {
  const { search, users, loaded, selection } = list;
  const { data, length, count } = users;
  const input = useRef<HTMLInputElement>(null);
  const customFields = useFields();
  const layout = useColumnLayout({ users: data && loaded, search });
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

  const hasSelection = selection.users.length > 0 || selection.matching !== undefined;
  const total = count?.count;
  useShortcuts([
    [shortcuts.users.search, () => input.current?.focus()],
    ...(hasSelection ? [[shortcuts.everywhere.close, selection.clear] as const] : []),
  ]);
  const areAllLoadedSelected = loaded.length > 0 && loaded.every(selection.has);
  const more = total !== undefined && areAllLoadedSelected && total > selection.users.length;
  const clear = (
    <Button onClick={() => onSearch({ q: "", filter: "", where: {} })}>{texts.nothing.action}</Button>
  );
  const enterRows = () => document.querySelector<HTMLElement>(".grid tbody tr[tabindex='0']")?.focus();
  return (
    <>
      <div className="toolbar">
        <SearchBox
          label={texts.search}
          value={search.q}
          onChange={(q) => onSearch({ q })}
          onEnterRows={enterRows}
          input={input}
        />
        <FilterButton fields={fields} filters={search} onChange={onSearch} />
        <SortSelect sort={search.sort} onChange={(sort) => onSearch({ sort })} />
        {search.membersOf === undefined && <ListsButton search={search} layout={layout} />}
        <ColumnButton fields={fields} layout={layout} density={density} onDensity={setDensity} />
      </div>
      <FilterChips fields={fields} filters={search} onChange={onSearch} />

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
          <Suspense fallback={<Loading />}>{empty}</Suspense>
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
          onSort={(sort) => onSearch({ sort })}
          selection={selection}
          openId={openId}
          onOpen={onOpen}
          removal={removal}
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
          >
            {selectionTools?.(selection)}
          </SelectionBar>
        </OverlayBoundary>
      )}
    </>
  );
}
