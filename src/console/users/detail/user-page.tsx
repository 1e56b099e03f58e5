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
import { ConfirmLeave } from "./leave-guard.tsx";
import type { KindFacts } from "./record-kind.ts";
import { describeStage, useOpenUser } from "./use-open-user.ts";
import { useUserCommands } from "./use-user-commands.ts";
import { MissingRecord, RecordActions, RecordContent } from "./user-content.tsx";
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
        <div className="user-columns">
          <div className="card">
            {stage && (
              <>
                <h2 key={stage.title} ref={show} className="section-title">
                  {stage.title}
                </h2>
                <p className="lead">{stage.lead}</p>
              </>
            )}
            <RecordContent open={open}>
              <UserForm open={open} level={2} />
            </RecordContent>
          </div>
          {canWrite && (stage || editor.dirty) && (
            <div className="save-bar">
              <RecordActions
                open={open}
                cancelLabel={texts.discard}
                onCancel={editor.discard}
                onClose={() => guard.leave(() => go(viewPaths.users))}
              >
                <p className="hint hidden-on-phone">{texts.unsaved.text}</p>
              </RecordActions>
            </div>
          )}
          {base && (
            <div className="user-aside">
              <RecordFacts of={base} />
              {!stage && <UserGroups user={base} level={2} />}
              <HistorySection user={base} level={2} />
            </div>
          )}
        </div>
      </View>
      <ConfirmLeave guard={guard} />
    </>
  );
}

/** A stage can begin above the visible part of the page. */
function show(title: HTMLElement | null): void {
  title?.scrollIntoView({ block: "nearest" });
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
