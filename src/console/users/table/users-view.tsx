import { useEffect } from "react";
import { useCommands } from "../../lib/commands.ts";
import { overList } from "../../lib/over-list.ts";
import { useHasScope } from "../../lib/session.ts";
import { itemAt, positionOf } from "../../lib/sparse-list.ts";
import { showHelp } from "../../shortcuts/show-help.tsx";
import { useShortcuts } from "../../shortcuts/use-shortcuts.ts";
import { formatNumber } from "../../texts/format.ts";
import { rowMenu, users as texts } from "../../texts/index.ts";
import { shortcuts } from "../../texts/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { lazyComponent, OverlayBoundary } from "../../ui/error-boundary.tsx";
import { Keyboard, Plus, RotateCw, Trash2 } from "../../ui/icons.ts";
import { View } from "../../ui/view.tsx";
import { deleteUser } from "../delete-user.tsx";
import type { Neighbours } from "../detail/user-drawer.tsx";
import { ExportButton } from "../export/export-button.tsx";
import { useListParams, useNavigateKeepingParams } from "../list-params.ts";
import { newUserCommand } from "../new-user-command.ts";
import { type LoadedUsers, reloadUsers } from "../queries.ts";
import { loadRange } from "./use-user-list.ts";
import { UserList, useOpenList } from "./user-list.tsx";

// Loaded when they are first opened.
const UserDrawer = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).UserDrawer);
const NoUsers = lazyComponent(async () => (await import("../../chunks/users-tools.ts")).NoUsers);

const keys = shortcuts.users;

/** The table of users, and the drawer of the open one. `id` is an id or "new". */
export function UsersView({ id }: { readonly id: string | undefined }) {
  const [search, setSearch] = useListParams();
  const canWrite = useHasScope("users:write");
  const list = useOpenList(search);
  const { data, count } = list.users;
  const total = count?.count;

  const go = useNavigateKeepingParams();
  useShortcuts(canWrite ? [[keys.newUser, () => go("/users/new")]] : []);
  const newUser = { ...newUserCommand(() => go("/users/new")), hint: keys.newUser.shown };
  useCommands("users", canWrite ? [newUser] : []);

  const openId = id === undefined || id === "new" ? undefined : Number(id);
  const openPosition = data && openId !== undefined ? positionOf(data.list, openId) : undefined;
  useEffect(() => {
    // The next user may be on the next page.
    if (data && openPosition !== undefined)
      void loadRange(data.search, { first: openPosition, end: openPosition + 2 }).catch(() => undefined);
  }, [data, openPosition]);

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
          {canWrite && (
            <Button kind="primary" icon={<Plus aria-hidden />} onClick={() => go("/users/new")}>
              {texts.newUser}
            </Button>
          )}
        </div>
      }
    >
      <UserList
        list={list}
        onSearch={setSearch}
        openId={openId}
        onOpen={(user) => go(`/users/${user.id}`, { state: overList })}
        removal={
          canWrite ? { label: rowMenu.delete, icon: Trash2, run: (user) => void deleteUser(user) } : undefined
        }
        empty={<NoUsers />}
      />
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
