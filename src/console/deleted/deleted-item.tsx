import { useId, useState } from "react";
import type { DeletedUser, EventActor } from "../../client/index.ts";
import { actorLabel } from "../activity/describe-event.ts";
import { RecordTable } from "../activity/record-table.tsx";
import { deletedUsers as texts } from "../texts/deleted.ts";
import { formatDateTime } from "../texts/format.ts";
import { Button } from "../ui/button.tsx";
import { ArchiveRestore, ChevronDown, Eraser } from "../ui/icons.ts";
import { Timestamp } from "../ui/timestamp.tsx";

interface DeletedItemProps {
  readonly user: DeletedUser;
  /** Undefined if unknown. */
  readonly deleter: EventActor | undefined;
  readonly deletedDays: number;
  readonly isRestoring: boolean;
  readonly isSelected: boolean;
  /** Undefined without the scope. */
  readonly onSelect?: () => void;
  readonly onRestore?: () => void;
  readonly onPurge?: () => void;
}

const DAY = 86_400_000;
/** The badge changes its colour when less time remains. */
const SOON_DAYS = 4;

export function DeletedItem(props: DeletedItemProps) {
  const { user, deleter, deletedDays, isRestoring, isSelected } = props;
  const { onSelect, onRestore, onPurge } = props;
  const { id, name, email } = user;
  const [open, setOpen] = useState(false);
  const details = useId();
  const erasedAt = Date.parse(user.deletedAt) + deletedDays * DAY;
  const daysLeft = (erasedAt - Date.now()) / DAY;
  return (
    <li className={onSelect ? "row-item selectable" : "row-item"}>
      {onSelect && (
        <label className="row-check">
          <input type="checkbox" checked={isSelected} aria-label={texts.select(name)} onChange={onSelect} />
        </label>
      )}
      <div className="row-main">
        <div className="row-title">
          <h2 className="row-name">{name}</h2>
          <span
            className={`badge${daysLeft < SOON_DAYS ? " soon" : ""}`}
            title={texts.erasedOn(formatDateTime(new Date(erasedAt).toISOString()))}
          >
            {texts.left(daysLeft)}
          </span>
        </div>
        <p className="hint">
          {email ?? texts.noEmail} · {texts.idOf(id)}
        </p>
        <p className="hint">
          {texts.deleted} <Timestamp iso={user.deletedAt} />
          {deleter && (
            <>
              {" "}
              {texts.deletedBy} <strong>{actorLabel(deleter)}</strong>
            </>
          )}
        </p>
      </div>
      <div className="row-actions">
        {onRestore && (
          <Button
            icon={<ArchiveRestore aria-hidden />}
            aria-label={texts.restoreOf(name)}
            busy={isRestoring}
            onClick={onRestore}
          >
            {texts.restore}
          </Button>
        )}
        {onPurge && (
          <Button
            kind="quiet"
            className="delete"
            icon={<Eraser aria-hidden />}
            aria-label={texts.purgeOf(name)}
            onClick={onPurge}
          >
            {texts.purge}
          </Button>
        )}
        <Button
          kind="quiet"
          className={open ? "toggle open" : "toggle"}
          icon={<ChevronDown aria-hidden />}
          aria-label={open ? texts.hide(name) : texts.show(name)}
          aria-expanded={open}
          aria-controls={open ? details : undefined}
          onClick={() => setOpen(!open)}
        />
      </div>
      {open && (
        <div id={details} className="row-details">
          <RecordTable record={user} caption={texts.values} />
        </div>
      )}
    </li>
  );
}
