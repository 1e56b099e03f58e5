import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { saveList as saveTexts, savedLists as texts } from "../../texts/saved-lists.ts";
import { Button } from "../../ui/button.tsx";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { lazyComponent, OverlayBoundary } from "../../ui/error-boundary.tsx";
import { Bookmark, BookmarkPlus, Link2, Settings2 } from "../../ui/icons.ts";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { viewPaths } from "../../view-paths.ts";
import { formatListParams, type ListParams, parseColumns, parseListParams } from "../list-params.ts";
import type { ColumnLayout } from "../table/column-layout.ts";
import { findList, type SavedList, savedListLimits, saveList, useSavedLists } from "./saved-lists.ts";

const SaveList = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).SaveList);
const ManageLists = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).ManageLists);

/** Stands for the list without search, filters and chosen columns. No list has an empty name. */
const ALL = "";
const NONE = "\n";

interface ListsButtonProps {
  readonly search: ListParams;
  readonly layout: ColumnLayout;
}

/** Chooses a saved list, and saves the current one. */
export function ListsButton({ search, layout }: ListsButtonProps) {
  const lists = useSavedLists();
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<"save" | "manage">();
  const query = formatListParams(search, layout.shown);
  const current = lists.find((list) => isShown(list, query, layout));
  const isAll = !layout.isLinked && formatListParams(search) === "";
  // The list that was shown last: a changed list is saved under its name.
  const last = useRef<string>(undefined);
  if (current) last.current = current.name;
  else if (isAll) last.current = undefined;
  const edited = current || last.current === undefined ? undefined : findList(lists, last.current);
  const named = current?.name ?? (edited && texts.edited(edited.name));
  // The address names the columns from now on: they belong to the list.
  const showSaved = () => navigate(viewPaths.users + query, { replace: true });
  const update = (name: string) => {
    saveList({ name, query });
    showToast({ title: saveTexts.done(name) });
    showSaved();
  };
  const choose = (name: string) =>
    navigate(viewPaths.users + (lists.find((list) => list.name === name)?.query ?? ""));
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu
        trigger={
          <Button
            className="lists-choice"
            icon={<Bookmark aria-hidden />}
            {...(named !== undefined && { "aria-label": texts.current(named), title: named })}
          >
            <span className="lists-name" dir="auto">
              {(current ?? edited)?.name ?? texts.button}
            </span>
            {edited && <span className="hint">{texts.isEdited}</span>}
          </Button>
        }
      >
        <MenuChoice
          label={texts.list}
          value={current?.name ?? (isAll ? ALL : NONE)}
          options={[ALL, ...lists.map(({ name }) => name)]}
          getLabel={(name) => (name === ALL ? texts.all : name)}
          onChoose={choose}
          closes
        />
        <MenuSeparator />
        {edited && (
          <MenuItem
            icon={<Bookmark aria-hidden />}
            disabled={query.length > savedListLimits.queryCharacters}
            onSelect={() => update(edited.name)}
          >
            {texts.update(edited.name)}
          </MenuItem>
        )}
        <MenuItem icon={<BookmarkPlus aria-hidden />} onSelect={() => setDialog("save")}>
          {texts.save}
        </MenuItem>
        <MenuItem
          icon={<Link2 aria-hidden />}
          onSelect={() => void copyWithToast(location.origin + viewPaths.users + query)}
        >
          {texts.copyLink}
        </MenuItem>
        {lists.length > 0 && (
          <MenuItem icon={<Settings2 aria-hidden />} onSelect={() => setDialog("manage")}>
            {texts.manage}
          </MenuItem>
        )}
      </Menu>
      {dialog && (
        <OverlayBoundary onClose={close}>
          {dialog === "save" ? (
            <SaveList name={last.current ?? ""} query={query} onSaved={showSaved} onClose={close} />
          ) : (
            <ManageLists onClose={close} />
          )}
        </OverlayBoundary>
      )}
    </>
  );
}

/** Whether the table shows what the list names. */
function isShown({ query }: SavedList, current: string, layout: ColumnLayout): boolean {
  const columns = layout.arrange(parseColumns(query) ?? layout.shown);
  return formatListParams(parseListParams(query), columns) === current;
}
