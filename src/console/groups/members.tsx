import { type ReactNode, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { Group, User } from "../../client/index.ts";
import { useHasScope } from "../lib/session.ts";
import { groupPage as texts } from "../texts/groups.ts";
import { Button } from "../ui/button.tsx";
import { UserRoundMinus, UserRoundPlus } from "../ui/icons.ts";
import { EmptyState } from "../ui/states.tsx";
import { ChangeMembers } from "../users/bulk/change-members.tsx";
import { useListParams } from "../users/list-params.ts";
import type { MatchingUsers, Selection } from "../users/table/selection.ts";
import { UserList, useOpenList } from "../users/table/user-list.tsx";
import { viewPaths } from "../view-paths.ts";
import { removeMembers } from "./remove-members.ts";

interface MembersProps {
  readonly group: Group;
  /** The button that adds members, if the person may add some. */
  readonly add: ReactNode;
}

/** The members of a group in the table of users. */
export function Members({ group, add }: MembersProps) {
  const [parameters, setSearch] = useListParams();
  const search = useMemo(() => ({ ...parameters, membersOf: group.id }), [parameters, group.id]);
  const list = useOpenList(search);
  const [, navigate] = useLocation();
  const canWrite = useHasScope("groups:write");
  const canWriteUsers = useHasScope("users:write");
  /** All members that match, which the person wants to remove. */
  const [matching, setMatching] = useState<MatchingUsers>();
  const remove = (users: readonly User[]) => void removeMembers(group, users);
  const removeSelected = ({ users, matching: all, clear }: Selection) => {
    // A bulk change needs to write users.
    if (!canWrite || (all && !canWriteUsers)) return null;
    const run = () => {
      if (all) return setMatching(all);
      remove(users);
      clear();
    };
    return (
      <Button kind="quiet" icon={<UserRoundMinus aria-hidden />} title={texts.remove} onClick={run}>
        <span>
          {texts.removeShort}
          <span className="hidden-on-phone"> {texts.removeRest}</span>
        </span>
      </Button>
    );
  };
  return (
    <>
      <UserList
        list={list}
        onSearch={setSearch}
        onOpen={({ id }) => navigate(`${viewPaths.users}/${id}`)}
        removal={
          canWrite ? { label: texts.remove, icon: UserRoundMinus, run: (user) => remove([user]) } : undefined
        }
        empty={
          <EmptyState
            icon={UserRoundPlus}
            title={texts.empty.title}
            text={canWrite ? texts.empty.text : texts.empty.readOnly}
          >
            {add}
          </EmptyState>
        }
        selectionTools={removeSelected}
      />
      {matching && (
        <ChangeMembers
          kind="remove"
          of={matching}
          group={group}
          onClose={() => setMatching(undefined)}
          onDone={() => {
            setMatching(undefined);
            list.selection.clear();
          }}
        />
      )}
    </>
  );
}
