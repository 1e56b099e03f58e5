import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { views as texts } from "../../texts/views.ts";
import { Button } from "../../ui/button.tsx";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { lazyComponent, OverlayBoundary } from "../../ui/error-boundary.tsx";
import { Bookmark, BookmarkPlus, Link2, Settings2 } from "../../ui/icons.ts";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { viewPaths } from "../../view-paths.ts";
import { formatListParams, type ListParams, parseColumns, parseListParams } from "../list-params.ts";
import type { ColumnLayout } from "../table/column-layout.ts";
import { type SavedView, useSavedViews } from "./saved-views.ts";

const SaveView = lazyComponent(() => import("./save-view.tsx"));
const ManageViews = lazyComponent(() => import("./manage-views.tsx"));

/** Stands for the list without search, filters and chosen columns. No view has an empty name. */
const ALL = "";
const NONE = "\n";

interface ViewsButtonProps {
  readonly search: ListParams;
  readonly layout: ColumnLayout;
}

/** Chooses a saved view, and saves the current one. */
export function ViewsButton({ search, layout }: ViewsButtonProps) {
  const views = useSavedViews();
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<"save" | "manage">();
  const query = formatListParams(search, layout.shown);
  const current = views.find((view) => isShown(view, query, layout));
  const isAll = !layout.isLinked && formatListParams(search) === "";
  // The view that was shown last: a changed view is saved under its name.
  const last = useRef<string>(undefined);
  if (current) last.current = current.name;
  else if (isAll) last.current = undefined;
  const choose = (name: string) =>
    navigate(viewPaths.users + (views.find((view) => view.name === name)?.query ?? ""));
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu
        trigger={
          <Button
            className="views-choice"
            icon={<Bookmark aria-hidden />}
            {...(current && { "aria-label": texts.current(current.name), title: current.name })}
          >
            <span className="views-name">{current?.name ?? texts.button}</span>
          </Button>
        }
      >
        <MenuChoice
          label={texts.list}
          value={current?.name ?? (isAll ? ALL : NONE)}
          options={[ALL, ...views.map(({ name }) => name)]}
          getLabel={(name) => (name === ALL ? texts.all : name)}
          onChoose={choose}
          closes
        />
        <MenuSeparator />
        <MenuItem icon={<BookmarkPlus aria-hidden />} onSelect={() => setDialog("save")}>
          {texts.save}
        </MenuItem>
        <MenuItem
          icon={<Link2 aria-hidden />}
          onSelect={() => void copyWithToast(location.origin + viewPaths.users + query)}
        >
          {texts.copyLink}
        </MenuItem>
        {views.length > 0 && (
          <MenuItem icon={<Settings2 aria-hidden />} onSelect={() => setDialog("manage")}>
            {texts.manage}
          </MenuItem>
        )}
      </Menu>
      {dialog && (
        <OverlayBoundary onClose={close}>
          {dialog === "save" ? (
            <SaveView
              name={last.current ?? ""}
              query={query}
              // The address names the columns from now on: they belong to the view.
              onSaved={() => navigate(viewPaths.users + query, { replace: true })}
              onClose={close}
            />
          ) : (
            <ManageViews onClose={close} />
          )}
        </OverlayBoundary>
      )}
    </>
  );
}

/** Whether the table shows what the view names. */
function isShown({ query }: SavedView, current: string, layout: ColumnLayout): boolean {
  const columns = layout.arrange(parseColumns(query) ?? layout.shown);
  return formatListParams(parseListParams(query), columns) === current;
}
