import type { ReactNode } from "react";
import { user as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { UserRoundX } from "../../ui/icons.ts";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { ConflictForm } from "./conflict-form.tsx";
import { OthersChange } from "./others-change.tsx";
import type { OpenUser } from "./use-open-user.ts";
import { UserForm } from "./user-form.tsx";

interface UserContentProps {
  readonly open: OpenUser;
  /** The level of headings. */
  readonly level: 2 | 3;
}

/** The form of the stage, or what is shown instead of it. */
export function UserContent({ open, level }: UserContentProps) {
  const { editor, form, instead, error, retry } = open;
  const { stage } = editor;
  if (stage.at === "deleted" || instead === "missing") return null;
  if (stage.at === "conflict") {
    return (
      <ConflictForm
        key={stage.theirs.version}
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
      <UserForm open={open} level={level} />
    </>
  );
}

interface MissingUserProps {
  /** The heading's level. */
  readonly level: 1 | 2;
  /** The way back. */
  readonly children: ReactNode;
}

export function MissingUser({ level, children }: MissingUserProps) {
  return (
    <EmptyState icon={UserRoundX} level={level} title={texts.gone.title} text={texts.gone.text}>
      {children}
    </EmptyState>
  );
}

interface UserActionsProps {
  readonly open: OpenUser;
  /** Buttons of the form, before Cancel and Save. */
  readonly children?: ReactNode;
  readonly cancelLabel: string;
  readonly onCancel: () => void;
  /** Leaves a user whom someone else has deleted. */
  readonly onClose: () => void;
}

/** The buttons of each stage. */
export function UserActions({ open, children, cancelLabel, onCancel, onClose }: UserActionsProps) {
  const { editor, form } = open;
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
