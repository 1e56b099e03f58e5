import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import type { DeletedUser } from "../../client/index.ts";
import { RecordTable } from "../activity/record-table.tsx";
import { type CurrentSession, useSession } from "../lib/session.ts";
import { deletedUsers as texts } from "../texts/deleted.ts";
import { formatNumber } from "../texts/format.ts";
import { Button } from "../ui/button.tsx";
import { SearchX, Trash2 } from "../ui/icons.ts";
import { List, nextPage } from "../ui/list.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { EmptyState } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { fieldLabel } from "../users/fields.ts";
import { deletedColumns } from "./deleted-columns.tsx";
import { DeletedMenu } from "./deleted-menu.tsx";
import { PurgeUser } from "./purge-user.tsx";
import { deletedQuery, deletersQuery } from "./queries.ts";
import { RestoreUser, useRestore } from "./restore-user.tsx";
import { SelectedUsers } from "./selected-users.tsx";
import { useSelectedUsers } from "./selection.ts";

/** Lists deleted users, restores them, and erases them for good. */
export default function DeletedView() {
  const session = useSession();
  return session ? <DeletedUsers session={session} /> : null;
}

function DeletedUsers({ session: { scopes, deletedDays } }: { readonly session: CurrentSession }) {
  const [q, setQ] = useSearchText();
  const [purging, setPurging] = useState<DeletedUser>();
  const list = useInfiniteQuery(deletedQuery(q.trim()));
  const users = useMemo(() => list.data?.pages.flatMap(({ users }) => users) ?? [], [list.data]);
  const deleters = useQuery({
    ...deletersQuery(users),
    enabled: users.length > 0 && scopes.includes("events:read"),
    placeholderData: (before) => before,
  }).data;
  const restore = useRestore();
  const selection = useSelectedUsers(users);
  const canWrite = scopes.includes("users:write");
  const canPurge = scopes.includes("users:purge");
  const count = `${formatNumber(users.length)}${list.hasNextPage ? "+" : ""}`;
  return (
    <View
      name="deleted"
      title={texts.title}
      count={users.length > 0 ? count : undefined}
      lead={deletedDays > 0 ? texts.lead(formatNumber(deletedDays)) : undefined}
    >
      {(users.length > 0 || q !== "") && (
        <div className="tools">
          <SearchField label={texts.search} clearLabel={texts.clearSearch} value={q} onChange={setQ} />
        </div>
      )}
      {!canWrite && users.length > 0 && <p className="notice">{texts.readOnly}</p>}
      <List
        label={texts.list}
        items={list.data && users}
        columns={deletedColumns({ deletedDays, deleters })}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        details={(user) => <RecordTable record={user} caption={texts.values} labelOf={fieldLabel} />}
        menu={(user) => (
          <DeletedMenu
            user={user}
            isRestoring={restore.pendingId === user.id}
            onRestore={canWrite ? () => restore.start(user) : undefined}
            onPurge={canPurge ? () => setPurging(user) : undefined}
          />
        )}
        selection={
          canWrite || canPurge
            ? {
                has: selection.has,
                toggle: selection.toggle,
                selectRange: selection.selectRange,
                startRange: selection.startRange,
                areAllSelected: selection.isEveryLoaded,
                areSomeSelected: users.some(selection.has),
                toggleAll: selection.toggleLoaded,
              }
            : undefined
        }
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<Empty isSearch={q !== ""} days={deletedDays} onClear={() => setQ("")} />}
        more={nextPage(list)}
      />
      {selection.users.length > 0 && (
        <SelectedUsers
          users={selection.users}
          canRestore={canWrite}
          canPurge={canPurge}
          moreOf={selection.isEveryLoaded && list.hasNextPage ? q.trim() : undefined}
          onSelect={selection.select}
        />
      )}
      {restore.conflict && <RestoreUser {...restore.conflict} restore={restore} />}
      {purging && <PurgeUser user={purging} onClose={() => setPurging(undefined)} />}
    </View>
  );
}

interface EmptyProps {
  readonly isSearch: boolean;
  readonly days: number;
  readonly onClear: () => void;
}

function Empty({ isSearch, days, onClear }: EmptyProps) {
  if (isSearch) {
    return (
      <EmptyState icon={SearchX} {...texts.nothing}>
        <Button onClick={onClear}>{texts.clearSearch}</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Trash2}
      title={texts.empty.title}
      text={days === 0 ? texts.empty.off : texts.empty.text(formatNumber(days))}
    >
      <Link href="/users" className="button primary">
        {texts.empty.action}
      </Link>
    </EmptyState>
  );
}

/** The search text in the URL. */
function useSearchText(): [string, (q: string) => void] {
  const [path, navigate] = useLocation();
  const q = new URLSearchParams(useSearch()).get("q") ?? "";
  return [
    q,
    (next) => navigate(next === "" ? path : `${path}?${new URLSearchParams({ q: next })}`, { replace: true }),
  ];
}
