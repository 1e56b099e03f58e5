import { Link } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { HistorySection } from "../../activity/history-section.tsx";
import { user as texts, users } from "../../texts/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { Trash2 } from "../../ui/icons.ts";
import { BackLink, useTabTitle, View } from "../../ui/view.tsx";
import { viewPaths } from "../../view-paths.ts";
import { deleteUser } from "../delete-user.tsx";
import { useNavigateKeepingParams } from "../list-params.ts";
import { RecordCard } from "./record-card.tsx";
import type { KindFacts } from "./record-kind.ts";
import { describeStage, useOpenUser } from "./use-open-user.ts";
import { useUserCommands } from "./use-user-commands.ts";
import { MissingRecord } from "./user-content.tsx";
import { UserEmails } from "./user-emails.tsx";
import { RecordFacts } from "./user-facts.tsx";
import { UserForm } from "./user-form.tsx";
import { UserGroups } from "./user-groups.tsx";

/** Shows, edits or deletes one user on a page of its own. */
export default function UserPage({ id }: { readonly id: number }) {
  const go = useNavigateKeepingParams();
  const list = viewPaths.users + useSearch();
  const open = useOpenUser(id, (saved) => {
    if (!saved) editor.discard();
    else if (saved.id === id) editor.startOver(saved);
    else guard.leave(() => go(`${viewPaths.users}/${saved.id}`, { replace: true }));
  });
  const { editor, guard, canWrite } = open;
  const { base } = editor;
  const stage = describeStage(open);
  const remove = () => {
    if (base) deleteUser(base, () => guard.leave(() => go(viewPaths.users)));
  };
  useUserCommands(open, { onDelete: remove });
  if (open.instead === "missing") return <MissingPage kind={editor.kind} list={list} />;
  return (
    <>
      <BackLink href={list}>{users.title}</BackLink>
      <View
        name="user-page"
        title={open.name}
        lead={base?.email}
        {...(base && { icon: <Avatar id={base.id} name={base.name} /> })}
        aside={
          base &&
          canWrite &&
          !stage && (
            <Button kind="destructive" icon={<Trash2 aria-hidden />} onClick={remove}>
              <span className="hidden-on-phone">{texts.delete}</span>
            </Button>
          )
        }
      >
        <RecordCard
          open={open}
          form={<UserForm open={open} level={2} />}
          aside={
            base && (
              <>
                <RecordFacts of={base} />
                {!stage && <UserEmails user={base} level={2} />}
                {!stage && <UserGroups user={base} level={2} />}
                <HistorySection user={base} level={2} />
              </>
            )
          }
          onClose={() => go(viewPaths.users)}
        />
      </View>
    </>
  );
}

function MissingPage({ kind, list }: { readonly kind: KindFacts; readonly list: string }) {
  useTabTitle(kind.texts.gone.title);
  return (
    <MissingRecord kind={kind} level={1}>
      <Link href={list} className="button primary">
        {texts.gone.action}
      </Link>
    </MissingRecord>
  );
}
