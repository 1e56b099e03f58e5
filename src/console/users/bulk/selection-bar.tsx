import { Pencil, Trash2, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { User } from "../../../client/index.ts";
import { useHasScope } from "../../lib/session.ts";
import { bulk as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { DeleteUsers } from "./delete-users.tsx";
import { EditUsers } from "./edit-users.tsx";

interface SelectionBarProps {
  readonly users: readonly User[];
  readonly fields: readonly string[];
  readonly onClear: () => void;
}

/** Actions for the selected users. */
export default function SelectionBar({ users, fields, onClear }: SelectionBarProps) {
  const [openDialog, setOpenDialog] = useState<"edit" | "delete">();
  const canWrite = useHasScope("users:write");
  const closeDialog = () => setOpenDialog(undefined);
  const clear = () => {
    closeDialog();
    onClear();
    focusTable();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    clear();
  };
  return (
    <div className="selection">
      <section className="selection-bar" aria-label={texts.label} onKeyDown={press}>
        <p className="selection-count" role="status">
          {texts.selected(users.length)}
        </p>
        {canWrite ? (
          <>
            <Button kind="quiet" icon={<Pencil aria-hidden />} onClick={() => setOpenDialog("edit")}>
              {texts.edit}
            </Button>
            <Button
              kind="quiet"
              className="delete"
              icon={<Trash2 aria-hidden />}
              onClick={() => setOpenDialog("delete")}
            >
              {texts.delete}
            </Button>
          </>
        ) : (
          <p className="hint">{texts.readOnly}</p>
        )}
        <Button kind="quiet" icon={<X aria-hidden />} title={texts.clearHint} onClick={clear}>
          <span className="hidden-on-phone">{texts.clear}</span>
        </Button>
      </section>
      {openDialog === "edit" && (
        <EditUsers users={users} fields={fields} onClose={closeDialog} onDone={clear} />
      )}
      {openDialog === "delete" && <DeleteUsers users={users} onClose={closeDialog} onDone={clear} />}
    </div>
  );
}

/** The bar disappears with the focused button, so the focus moves to the table. */
function focusTable(): void {
  setTimeout(() => document.querySelector<HTMLElement>(".users tbody [tabindex='0']")?.focus());
}
