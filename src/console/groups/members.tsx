import { type ReactNode, useMemo } from "react";
import { useLocation } from "wouter";
import type { Group } from "../../client/index.ts";
import { useHasScope } from "../lib/session.ts";
import { groupPage as texts } from "../texts/groups.ts";
import { Button } from "../ui/button.tsx";
import { UserRoundMinus, UserRoundPlus } from "../ui/icons.ts";
import { EmptyState } from "../ui/states.tsx";
import { useListParams } from "../users/list-params.ts";
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
  return (
    <UserList
      list={list}
      onSearch={setSearch}
      onOpen={({ id }) => navigate(`${viewPaths.users}/${id}`)}
      empty={
        <EmptyState
          icon={UserRoundPlus}
          title={texts.empty.title}
          text={canWrite ? texts.empty.text : texts.empty.readOnly}
        >
          {add}
        </EmptyState>
      }
      selectionTools={
        canWrite
          ? ({ users, matching, clear }) =>
              !matching && (
                <Button
                  kind="quiet"
                  icon={<UserRoundMinus aria-hidden />}
                  onClick={() => {
                    void removeMembers(group, users);
                    clear();
                  }}
                >
                  {texts.remove}
                </Button>
              )
          : undefined
      }
    />
  );
}
