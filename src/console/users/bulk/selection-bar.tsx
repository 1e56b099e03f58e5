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

/** What can be done with those that are selected. */
export default function SelectionBar({ users, fields, onClear }: SelectionBarProps) {
  const [doing, setDoing] = useState<"edit" | "delete">();
  const canWrite = useHasScope("users:write");
  const stop = () => setDoing(undefined);
  const clear = () => {
    stop();
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
            <Button kind="quiet" icon={<Pencil aria-hidden />} onClick={() => setDoing("edit")}>
              {texts.edit}
            </Button>
            <Button
              kind="quiet"
              className="delete"
              icon={<Trash2 aria-hidden />}
              onClick={() => setDoing("delete")}
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
      {doing === "edit" && <EditUsers users={users} fields={fields} onClose={stop} onDone={clear} />}
      {doing === "delete" && <DeleteUsers users={users} onClose={stop} onDone={clear} />}
    </div>
  );
}

/** The bar goes, and what had the focus with it: the keyboard goes on where it came from. */
function focusTable(): void {
  setTimeout(() => document.querySelector<HTMLElement>(".users tbody [tabindex='0']")?.focus());
}
