import { useMutation, useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { actorLabel } from "../../activity/describe-event.ts";
import { FieldChange } from "../../activity/field-change.tsx";
import { roster } from "../../lib/api.ts";
import { keepsDeletedUsers, useHasScope } from "../../lib/session.ts";
import { formatList, formatTime } from "../../texts/format.ts";
import { Button } from "../../ui/button.tsx";
import { ChangeNotice } from "../../ui/change-notice.tsx";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { changedFields, type EditedItem, toRecord } from "../record.ts";
import { restore } from "../undo/offer-restore.ts";
import { collidingFields } from "./merge.ts";
import type { KindFacts } from "./record-kind.ts";
import type { OpenForm } from "./use-open-user.ts";
import { parseDraft } from "./user-draft.ts";

/** The details are in the comparison. */
const SHOWN_CHANGES = 3;
/** The last events of the record that are read to know who changed it. */
const READ_EVENTS = 20;

/** Says at once that someone else has changed or deleted the user or the group, while the person has unsaved changes. */
export function OthersChange({ open }: { readonly open: OpenForm }) {
  const { editor, isDeleted } = open;
  const { base, theirs } = editor;
  return (
    <div className="others-change" role="status">
      {base && isDeleted ? (
        <Deleted open={open} base={base} />
      ) : (
        base && theirs && <Changed open={open} base={base} theirs={theirs} />
      )}
    </div>
  );
}

interface ChangedProps {
  readonly open: OpenForm;
  /** The version that the person edits. */
  readonly base: EditedItem;
  readonly theirs: EditedItem;
}

function Changed({ open: { editor }, base, theirs }: ChangedProps) {
  const { kind } = editor;
  const texts = kind.texts.others;
  const labelOf = kind.useFieldLabel();
  const { who, time } = useOthers(kind, base, theirs.version);
  const [was, other] = [toRecord(base, kind.fields), toRecord(theirs, kind.fields)];
  const fields = changedFields(was, other);
  const mine = parseDraft(editor.draft, kind);
  const colliding = mine && collidingFields({ was, mine, theirs: other });
  const shown = fields.slice(0, SHOWN_CHANGES);
  return (
    <ChangeNotice
      actions={
        <>
          {colliding?.length === 0 && (
            <Button kind="primary" onClick={editor.takeOver}>
              {texts.takeOver}
            </Button>
          )}
          <Button onClick={editor.compare}>{texts.compare}</Button>
        </>
      }
    >
      <p>
        <strong dir="auto">{who ?? texts.someone}</strong>{" "}
        {texts.changed(formatTime(time ?? theirs.updatedAt))}{" "}
        {shown.map((field, index) => (
          <Fragment key={field}>
            {index > 0 && ", "}
            <FieldChange label={labelOf(field)} from={was.get(field)} to={other.get(field)} />
          </Fragment>
        ))}
        {fields.length > shown.length && ` ${texts.more(fields.length - shown.length)}`}
      </p>
      {colliding && (
        <p>{colliding.length === 0 ? texts.apart : texts.collide(formatList(colliding.map(labelOf)))}</p>
      )}
    </ChangeNotice>
  );
}

function Deleted({ open, base }: { readonly open: OpenForm; readonly base: EditedItem }) {
  const { editor, canWrite } = open;
  const { kind } = editor;
  const texts = kind.texts.others;
  const { who, time } = useOthers(kind, base, "deleted");
  const isKept = kind.name === "user" && keepsDeletedUsers();
  const restoring = useMutation({
    mutationFn: () => restore([base.id]),
    onSettled: open.retry,
  });
  return (
    <ChangeNotice
      actions={
        <>
          {isKept && canWrite && (
            <Button kind="primary" busy={restoring.isPending} onClick={() => restoring.mutate()}>
              {texts.restore}
            </Button>
          )}
          {canWrite && (
            <Button busy={editor.busy} onClick={editor.createAgain}>
              {kind.texts.deleted.again}
            </Button>
          )}
          <Button onClick={() => void copyWithToast(toJson(editor))}>{texts.copy}</Button>
        </>
      }
    >
      <p>
        <strong dir="auto">{who ?? texts.someone}</strong>{" "}
        {time === undefined ? texts.deleted : texts.deletedAt(formatTime(time))}
      </p>
      <p>{isKept ? texts.restorable : texts.erased}</p>
    </ChangeNotice>
  );
}

/** Who has changed the record since the base, and when, as far as the key may know. `state` names what has changed. */
function useOthers({ name }: KindFacts, { id, version }: EditedItem, state: number | "deleted") {
  const canReadEvents = useHasScope("events:read");
  const { data: events = [] } = useQuery({
    queryKey: ["others", name, id, version, state],
    queryFn: async ({ signal }) =>
      (await roster.events.list({ subject: `${name}:${id}`, sort: "-id", limit: READ_EVENTS, signal }).page())
        .events,
    enabled: canReadEvents,
    placeholderData: (before) => before,
  });
  const since = events.filter((event) => event.version !== null && event.version > version);
  const names = [...new Set(since.map(({ actor }) => actorLabel(actor)))];
  return { who: names.length > 0 ? formatList(names) : undefined, time: since[0]?.time };
}

/** What the person has entered, as JSON. */
function toJson({ draft, kind }: OpenForm["editor"]): string {
  const record = parseDraft(draft, kind);
  return JSON.stringify(record ? Object.fromEntries(record) : draft, null, 2);
}
