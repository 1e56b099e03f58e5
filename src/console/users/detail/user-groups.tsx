import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "wouter";
import type { Group, User } from "../../../client/index.ts";
import { addToGroup, removeFromGroup } from "../../groups/change-membership.ts";
import { GroupChoice } from "../../groups/group-choice.tsx";
import { userGroupsQuery } from "../../groups/queries.ts";
import { isProblem } from "../../lib/api.ts";
import { focusNext } from "../../lib/keep-focus.ts";
import { useHasScope } from "../../lib/session.ts";
import { userGroups as texts } from "../../texts/memberships.ts";
import { Button } from "../../ui/button.tsx";
import { Plus, X } from "../../ui/icons.ts";
import { Popup } from "../../ui/popup.tsx";
import { ErrorState, Loading } from "../../ui/states.tsx";
import { showErrorToast } from "../../ui/toasts.tsx";

interface UserGroupsProps {
  readonly user: User;
  /** The heading's level. */
  readonly level: 2 | 3;
}

/** The groups that the user is a member of. Hidden from a person who may not read users or groups. */
export function UserGroups(props: UserGroupsProps) {
  const canReadUsers = useHasScope("users:read");
  const canReadGroups = useHasScope("groups:read");
  return canReadUsers && canReadGroups ? <GroupsSection {...props} /> : null;
}

function GroupsSection({ user, level }: UserGroupsProps) {
  const heading = useId();
  const Heading = `h${level}` as const;
  const canWrite = useHasScope("groups:write");
  const list = useInfiniteQuery(userGroupsQuery(user.id));
  const groups = list.data?.pages.flatMap(({ groups }) => groups) ?? [];
  const total = list.data?.pages[0]?.total;
  const count = total && texts.count(total.count, total.capped);
  const change = useMutation({
    mutationFn: (send: () => Promise<void>) => send(),
    onError: showErrorToast,
  });
  // The form says that the user is deleted.
  if (isProblem(list.error, "user-not-found")) return null;
  return (
    <section className="user-groups" aria-labelledby={heading}>
      <Heading id={heading} className="section-title">
        {texts.title} {total !== undefined && total.count > 0 && <span className="count">{count}</span>}
      </Heading>
      {list.isPending ? (
        <Loading />
      ) : list.error && groups.length === 0 ? (
        <ErrorState error={list.error} retry={() => void list.refetch()} />
      ) : (
        <>
          {groups.length === 0 && <p className="hint">{texts.none}</p>}
          {groups.length > 0 && (
            <ul className="chips" aria-label={texts.list}>
              {groups.map(({ id, name = String(id) }) => (
                <li key={id} className="chip">
                  <Link href={`/groups/${id}`} className="chip-label" dir="auto">
                    {name}
                  </Link>
                  {canWrite && (
                    <button
                      type="button"
                      aria-label={texts.remove(name)}
                      title={texts.remove(name)}
                      disabled={change.isPending}
                      onClick={() => change.mutate(() => removeFromGroup(user, { id, name }))}
                    >
                      <X aria-hidden />
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
          <div className="actions">
            {list.hasNextPage && count !== undefined && (
              <Button
                busy={list.isFetchingNextPage}
                onClick={({ currentTarget }) => {
                  focusNext(currentTarget);
                  void list.fetchNextPage();
                }}
              >
                {texts.more(count)}
              </Button>
            )}
            {canWrite && (
              <AddButton
                without={new Set(groups.map(({ id }) => id))}
                onChoose={(group) => change.mutate(() => addToGroup(user, group))}
              />
            )}
          </div>
        </>
      )}
    </section>
  );
}

interface AddButtonProps {
  readonly without: ReadonlySet<number>;
  readonly onChoose: (group: Group) => void;
}

function AddButton({ without, onChoose }: AddButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popup
      title={texts.add}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button kind="quiet" icon={<Plus aria-hidden />}>
          {texts.add}
        </Button>
      }
    >
      <GroupChoice
        canCreate
        without={without}
        onChoose={(group) => {
          setOpen(false);
          onChoose(group);
        }}
      />
    </Popup>
  );
}
