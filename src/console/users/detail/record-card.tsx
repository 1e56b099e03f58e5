import type { ReactNode } from "react";
import type { EditedItem } from "../record.ts";
import { ConfirmLeave } from "./leave-guard.tsx";
import { describeStage, type OpenRecord } from "./use-open-user.ts";
import { RecordActions, RecordContent } from "./user-content.tsx";

interface RecordCardProps<Item extends EditedItem> {
  readonly open: OpenRecord<Item>;
  /** The form that edits it. */
  readonly form: ReactNode;
  /** Beside the form. */
  readonly aside: ReactNode;
  /** Leaves what someone else has deleted. */
  readonly onClose: () => void;
}

/** A user or a group on a page: the form, the bar that saves it, and what is beside it. */
export function RecordCard<Item extends EditedItem>({ open, form, aside, onClose }: RecordCardProps<Item>) {
  const { editor, guard, canWrite } = open;
  const { texts } = editor.kind;
  const stage = describeStage(open);
  return (
    <>
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
          <RecordContent open={open}>{form}</RecordContent>
        </div>
        {canWrite && (stage || editor.dirty) && (
          <div className="save-bar">
            <RecordActions
              open={open}
              cancelLabel={texts.discard}
              onCancel={editor.discard}
              onClose={() => guard.leave(onClose)}
            >
              <p className="hint hidden-on-phone">{texts.unsaved.text}</p>
            </RecordActions>
          </div>
        )}
        {editor.base && <div className="user-aside">{aside}</div>}
      </div>
      <ConfirmLeave guard={guard} />
    </>
  );
}

/** A stage can begin above the visible part of the page. */
function show(title: HTMLElement | null): void {
  title?.scrollIntoView({ block: "nearest" });
}
