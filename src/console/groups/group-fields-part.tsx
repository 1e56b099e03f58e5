import { useLocation } from "wouter";
import { group as texts } from "../texts/groups.ts";
import { ConfirmLeave } from "../users/detail/leave-guard.tsx";
import { RecordForm } from "../users/detail/record-form.tsx";
import { describeStage } from "../users/detail/use-open-user.ts";
import { RecordActions, RecordContent } from "../users/detail/user-content.tsx";
import { RecordFacts } from "../users/detail/user-facts.tsx";
import { viewPaths } from "../view-paths.ts";
import { useOpenGroup } from "./use-open-group.ts";

/** Shows and edits the name and the custom fields of a group. */
export function GroupFields({ id }: { readonly id: number }) {
  const [, navigate] = useLocation();
  const open = useOpenGroup(id, (saved) => {
    if (!saved) editor.discard();
    else if (saved.id === id) editor.startOver(saved);
    else guard.leave(() => navigate(`${viewPaths.groups}/${saved.id}/fields`, { replace: true }));
  });
  const { editor, guard, canWrite } = open;
  const stage = describeStage(open);
  return (
    <div className="user-columns">
      <div className="card">
        {stage && (
          <>
            <h2 className="section-title">{stage.title}</h2>
            <p className="lead">{stage.lead}</p>
          </>
        )}
        <RecordContent open={open}>
          <RecordForm open={open} level={2} />
        </RecordContent>
      </div>
      {canWrite && (stage || editor.dirty) && (
        <div className="save-bar">
          <RecordActions
            open={open}
            cancelLabel={texts.discard}
            onCancel={editor.discard}
            onClose={() => guard.leave(() => navigate(viewPaths.groups))}
          >
            <p className="hint hidden-on-phone">{texts.unsaved.text}</p>
          </RecordActions>
        </div>
      )}
      {editor.base && (
        <div className="user-aside">
          <RecordFacts of={editor.base} />
        </div>
      )}
      <ConfirmLeave guard={guard} />
    </div>
  );
}
