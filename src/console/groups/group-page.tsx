import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Group } from "../../client/index.ts";
import { GroupHistory } from "../activity/user-history.tsx";
import { isProblem } from "../lib/api.ts";
import { useCommands } from "../lib/commands.ts";
import { useHasScope } from "../lib/session.ts";
import { groups, group as groupTexts, groupPage as texts } from "../texts/groups.ts";
import { Button } from "../ui/button.tsx";
import { copyWithToast } from "../ui/copy-button.tsx";
import { Copy, Ellipsis, Trash2, UserRoundPlus, UsersRound } from "../ui/icons.ts";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { EmptyState, Forbidden, Unloaded } from "../ui/states.tsx";
import { BackLink, View } from "../ui/view.tsx";
import { ExportButton } from "../users/export/export-button.tsx";
import { useListParams } from "../users/list-params.ts";
import { viewPaths } from "../view-paths.ts";
import { AddMembers } from "./add-members.tsx";
import { DeleteGroup } from "./delete-group.tsx";
import { GroupFields } from "./group-fields-part.tsx";
import { Members } from "./members.tsx";
import { groupQuery } from "./queries.ts";

type Part = keyof typeof texts.parts;

interface GroupPageProps {
  readonly id: number;
  readonly part: Part;
}

/** One group: its members, its fields, or its history. */
export function GroupPage({ id, part }: GroupPageProps) {
  const isId = Number.isSafeInteger(id);
  const { data: group, error, refetch } = useQuery({ ...groupQuery(id), enabled: isId });
  const isGone = !isId || isProblem(error, "group-not-found");
  // Unsaved changes of a group that someone else has deleted stay on the page.
  if (group && (!isGone || part === "fields")) return <Page group={group} part={part} />;
  return (
    <View name="groups" title={group?.name ?? groupTexts.loadingTitle}>
      <Unloaded
        isGone={isGone}
        gone={
          <EmptyState icon={UsersRound} title={groupTexts.gone.title} text={groupTexts.gone.text}>
            <Link href={viewPaths.groups} className="button primary">
              {groupTexts.gone.action}
            </Link>
          </EmptyState>
        }
        error={error}
        retry={() => void refetch()}
      />
    </View>
  );
}

function Page({ group, part }: { readonly group: Group; readonly part: Part }) {
  const { id, name, memberCount } = group;
  const [open, setOpen] = useState<"add" | "delete">();
  const [, navigate] = useLocation();
  const [parameters] = useListParams();
  const canReadUsers = useHasScope("users:read");
  const canWrite = useHasScope("groups:write");
  const canAdd = canWrite && canReadUsers;
  const close = () => setOpen(undefined);
  useCommands("group", [
    ...(canAdd
      ? [{ id: "add-members", label: texts.add, icon: UserRoundPlus, run: () => setOpen("add") }]
      : []),
    ...(canWrite
      ? [{ id: "delete-group", label: texts.delete, icon: Trash2, run: () => setOpen("delete") }]
      : []),
  ]);
  const add = canAdd && (
    <Button kind="primary" icon={<UserRoundPlus aria-hidden />} onClick={() => setOpen("add")}>
      {texts.add}
    </Button>
  );
  return (
    <>
      <BackLink href={viewPaths.groups}>{groups.back}</BackLink>
      <View
        name={part === "members" ? "users group" : "group"}
        title={name}
        count={texts.members(memberCount)}
        aside={
          <div className="actions">
            {part === "members" && (
              <ExportButton search={{ ...parameters, membersOf: id }} total={undefined} />
            )}
            {add}
            <Menu trigger={<Button icon={<Ellipsis aria-hidden />} aria-label={texts.more(name)} />}>
              <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(id))}>
                {texts.copyId}
              </MenuItem>
              {canWrite && (
                <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => setOpen("delete")}>
                  {texts.delete}
                </MenuItem>
              )}
            </Menu>
          </div>
        }
      >
        <Parts id={id} current={part} />
        {part === "members" &&
          (canReadUsers ? <Members group={group} add={add} /> : <Forbidden {...texts.noRead} />)}
        {part === "fields" && <GroupFields id={id} />}
        {part === "history" && <History group={group} />}
        {open === "add" && <AddMembers group={group} onClose={close} />}
        {open === "delete" && (
          <DeleteGroup group={group} onDeleted={() => navigate(viewPaths.groups)} onClose={close} />
        )}
      </View>
    </>
  );
}

const paths: Readonly<Record<Part, string>> = {
  members: viewPaths.group,
  fields: viewPaths.groupFields,
  history: viewPaths.groupHistory,
};

/** The links to the parts of the page. */
function Parts({ id, current }: { readonly id: number; readonly current: Part }) {
  return (
    <nav className="tabs" aria-label={texts.navigation}>
      {(["members", "fields", "history"] as const).map((part) => (
        <Link
          key={part}
          href={paths[part].replace("{id}", String(id))}
          className="tab"
          data-active={part === current || undefined}
          aria-current={part === current ? "page" : undefined}
        >
          {texts.parts[part]}
        </Link>
      ))}
    </nav>
  );
}

function History({ group: { id, version } }: { readonly group: Group }) {
  const canRead = useHasScope("events:read");
  if (!canRead) return <Forbidden {...texts.noEvents} />;
  return <GroupHistory id={id} version={version} />;
}
