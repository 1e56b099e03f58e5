import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import type { Group } from "../../client/index.ts";
import { groupRecordFields } from "../../contract/groups/group-fields.ts";
import { useCommands } from "../lib/commands.ts";
import { useHasScope } from "../lib/session.ts";
import { useShortcuts } from "../shortcuts/use-shortcuts.ts";
import { formatNumber } from "../texts/format.ts";
import { groupPage, groups as texts } from "../texts/groups.ts";
import { exporting } from "../texts/index.ts";
import { shortcuts } from "../texts/shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { copyWithToast } from "../ui/copy-button.tsx";
import { Copy, Download, Plus, SearchX, Trash2, UsersRound } from "../ui/icons.ts";
import { List, nextPage } from "../ui/list.tsx";
import type { ListColumn } from "../ui/list-table.tsx";
import { MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { OpenItems } from "../ui/open-items.tsx";
import { Select } from "../ui/select.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { View } from "../ui/view.tsx";
import { getFieldValue } from "../users/fields.ts";
import { ValueCell } from "../users/table/cell.tsx";
import { chooseCustomColumns } from "../users/table/default-columns.ts";
import { SearchBox } from "../users/table/toolbar.tsx";
import { viewPaths } from "../view-paths.ts";
import { DeleteGroup } from "./delete-group.tsx";
import { ExportGroups } from "./export-groups.tsx";
import { NewGroup } from "./new-group.tsx";
import { type GroupSearch, groupCountQuery, groupsQuery } from "./queries.ts";

const sorts = ["name", "-name", "-memberCount", "memberCount", "-createdAt", "createdAt"] as const;
type Sort = (typeof sorts)[number];

/** All groups, with search and order. */
export function GroupList({ isCreating }: { readonly isCreating: boolean }) {
  const [search, setSearch] = useGroupSearch();
  const [, navigate] = useLocation();
  const [deleted, setDeleted] = useState<Group>();
  const [isExporting, setExporting] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const canWrite = useHasScope("groups:write");
  const list = useInfiniteQuery(groupsQuery(search));
  const { data: count } = useQuery(groupCountQuery(search.q));
  const groups = useMemo(() => list.data?.pages.flatMap((page) => page.groups) ?? [], [list.data]);
  const first = list.data?.pages[0]?.groups;
  const columns = useMemo(() => groupColumns(first ?? []), [first]);
  const suffix = useSearch();
  const openForm = () => navigate(`${viewPaths.groups}/new${suffix}`);
  const isEmpty = list.data !== undefined && groups.length === 0 && search.q.trim() === "";
  useShortcuts([
    [shortcuts.users.search, () => input.current?.focus()],
    ...(canWrite ? [[shortcuts.groups.newGroup, openForm] as const] : []),
  ]);
  useCommands("groups", [
    ...(canWrite
      ? [
          {
            id: "new-group",
            label: texts.newGroup,
            hint: shortcuts.groups.newGroup.shown,
            icon: UsersRound,
            run: openForm,
          },
        ]
      : []),
    { id: "export-groups", label: texts.export.title, icon: Download, run: () => setExporting(true) },
  ]);
  const create = canWrite && (
    <Button kind="primary" icon={<Plus aria-hidden />} onClick={openForm}>
      {texts.newGroup}
    </Button>
  );
  const enterRows = () => document.querySelector<HTMLElement>(".list tbody tr[tabindex='0']")?.focus();
  return (
    <View
      name="groups"
      title={texts.title}
      count={count && texts.count(formatNumber(count.count), count.capped)}
      lead={texts.lead}
      aside={
        !isEmpty && (
          <div className="actions">
            <Button icon={<Download aria-hidden />} onClick={() => setExporting(true)}>
              <span className="hidden-on-phone">{exporting.button}</span>
            </Button>
            {create}
          </div>
        )
      }
    >
      {!isEmpty && (
        <div className="tools">
          <SearchBox
            label={texts.search}
            value={search.q}
            onChange={(q) => setSearch({ q })}
            onEnterRows={enterRows}
            input={input}
          />
          <Select
            className="input"
            aria-label={texts.sort}
            value={search.sort}
            options={sorts}
            getLabel={(sort) => texts.sorts[sort]}
            onChoose={(sort) => setSearch({ sort })}
          />
        </div>
      )}
      <List
        label={texts.list}
        items={list.data && groups}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={pathOf}
        menu={(group) => (
          <>
            <OpenItems href={pathOf(group)} onOpen={() => navigate(pathOf(group))} />
            <MenuSeparator />
            <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(group.id))}>
              {groupPage.copyId}
            </MenuItem>
            {canWrite && (
              <>
                <MenuSeparator />
                <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => setDeleted(group)}>
                  {groupPage.delete}
                </MenuItem>
              </>
            )}
          </>
        )}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={
          isEmpty ? (
            <EmptyState
              icon={UsersRound}
              title={texts.empty.title}
              text={canWrite ? texts.empty.text : texts.empty.readOnly}
            >
              {create}
            </EmptyState>
          ) : (
            <EmptyState icon={SearchX} {...texts.nothing}>
              <Button onClick={() => setSearch({ q: "" })}>{texts.clearSearch}</Button>
            </EmptyState>
          )
        }
        more={nextPage(list)}
      />
      {isCreating && <NewGroup onClose={() => navigate(viewPaths.groups + suffix)} />}
      {deleted && <DeleteGroup group={deleted} onClose={() => setDeleted(undefined)} />}
      {isExporting && <ExportGroups search={search} count={count} onClose={() => setExporting(false)} />}
    </View>
  );
}

function pathOf({ id }: Group): string {
  return `${viewPaths.groups}/${id}`;
}

/** The name, the number of members, the custom fields that most groups have, and when the group was created. */
function groupColumns(groups: readonly Group[]): readonly ListColumn<Group>[] {
  return [
    {
      title: texts.columns.name,
      width: "minmax(9rem, 1.5fr)",
      cell: ({ name }) => (
        <span className="list-name" title={name} dir="auto">
          {name}
        </span>
      ),
    },
    {
      title: texts.columns.members,
      cell: ({ memberCount }) => <span className="figure">{formatNumber(memberCount)}</span>,
    },
    ...chooseCustomColumns([], groups, groupRecordFields).map((field) => ({
      title: field,
      width: "minmax(6rem, 1fr)",
      isOptional: true,
      cell: (group: Group) => <ValueCell field={field} value={getFieldValue(group, field)} />,
    })),
    {
      title: texts.columns.created,
      isOptional: true,
      cell: ({ createdAt }: Group) => <Timestamp iso={createdAt} />,
    },
  ];
}

/** The search and the order in the URL. */
function useGroupSearch(): [GroupSearch & { readonly sort: Sort }, (change: Partial<GroupSearch>) => void] {
  const text = useSearch();
  const [path, navigate] = useLocation();
  const search = useMemo(() => {
    const parameters = new URLSearchParams(text);
    const sort = sorts.find((each) => each === parameters.get("sort")) ?? "name";
    return { q: parameters.get("q") ?? "", sort };
  }, [text]);
  const change = (part: Partial<GroupSearch>) => {
    const { q, sort } = { ...search, ...part };
    const parameters = new URLSearchParams({ ...(q !== "" && { q }), ...(sort !== "name" && { sort }) });
    const query = String(parameters);
    navigate(query === "" ? path : `${path}?${query}`, { replace: true });
  };
  return [search, change];
}
