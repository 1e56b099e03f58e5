import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { UserRoundX } from "../../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import type { EditedItem } from "../record.ts";
import { ConflictForm } from "./conflict-form.tsx";
import { OthersChange } from "./others-change.tsx";
import type { KindFacts } from "./record-kind.ts";
import type { OpenForm, OpenRecord } from "./use-open-user.ts";

interface RecordContentProps<Item extends EditedItem> {
  readonly open: OpenRecord<Item>;
  /** The form that edits it. */
  readonly children: ReactNode;
}

/** The form of the stage, or what is shown instead of it. */
export function RecordContent<Item extends EditedItem>({ open, children }: RecordContentProps<Item>) {
  const { editor, form, instead, error, retry } = open;
  const { stage } = editor;
  if (stage.at === "deleted" || instead === "missing") return null;
  if (stage.at === "conflict") {
    return (
      <ConflictForm
        key={stage.theirs.version}
        kind={editor.kind}
        id={form}
        was={stage.was}
        mine={stage.mine}
        theirs={stage.theirs}
        onChoose={(chosen) => editor.resolve(stage.theirs, chosen)}
      />
    );
  }
  if (instead === "error") return <ErrorState error={error} retry={retry} />;
  if (instead) return <Loading />;
  return (
    <>
      <OthersChange open={open} />
      {children}
    </>
  );
}

interface MissingRecordProps {
  readonly kind: KindFacts;
  /** The heading's level. */
  readonly level: 1 | 2;
  /** The way back. */
  readonly children: ReactNode;
}

export function MissingRecord({ kind: { texts }, level, children }: MissingRecordProps) {
  return (
    <EmptyState icon={UserRoundX} level={level} title={texts.gone.title} text={texts.gone.text}>
      {children}
    </EmptyState>
  );
}

interface RecordActionsProps {
  readonly open: OpenForm;
  /** Buttons of the form, before Cancel and Save. */
  readonly children?: ReactNode;
  readonly cancelLabel: string;
  readonly onCancel: () => void;
  /** Leaves what someone else has deleted. */
  readonly onClose: () => void;
}

/** The buttons of each stage. */
export function RecordActions({ open, children, cancelLabel, onCancel, onClose }: RecordActionsProps) {
  const { editor, form } = open;
  const { texts } = editor.kind;
  const { base, stage, busy, dirty } = editor;
  if (stage.at === "deleted") {
    return (
      <>
        <Button onClick={onClose}>{texts.deleted.close}</Button>
        <Button kind="primary" busy={busy} onClick={editor.createAgain}>
          {texts.deleted.again}
        </Button>
      </>
    );
  }
  if (stage.at === "conflict") {
    return (
      <>
        <Button onClick={editor.backToForm}>{texts.conflict.back}</Button>
        <Button kind="primary" type="submit" form={form} busy={busy}>
          {texts.conflict.save}
        </Button>
      </>
    );
  }
  return (
    <>
      {children}
      <Button onClick={onCancel}>{cancelLabel}</Button>
      <Button kind="primary" type="submit" form={form} busy={busy} disabled={base !== undefined && !dirty}>
        {base ? texts.save : texts.create}
      </Button>
    </>
  );
}
