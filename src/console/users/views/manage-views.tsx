import { type FormEvent, useId, useRef, useState } from "react";
import { shell } from "../../texts/index.ts";
import { saveView, manageViews as texts } from "../../texts/views.ts";
import { Button } from "../../ui/button.tsx";
import { Field, focusFirstError } from "../../ui/field.tsx";
import { Trash2 } from "../../ui/icons.ts";
import { Modal } from "../../ui/modal.tsx";
import { changeViews, isSameName, listSavedViews, viewLimits } from "./saved-views.ts";

/** Renames and deletes views. Nothing changes before "Save changes". */
export default function ManageViews({ onClose }: { readonly onClose: () => void }) {
  const [views] = useState(listSavedViews);
  /** The names by the old names. A view without one is deleted. */
  const [names, setNames] = useState<ReadonlyMap<string, string>>(
    () => new Map(views.map(({ name }) => [name, name])),
  );
  const [showErrors, setShowErrors] = useState(false);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const errorOf = (oldName: string, name: string) => {
    if (name.trim() === "") return saveView.missing;
    const isTaken = [...names].some(([other, taken]) => other !== oldName && isSameName(taken, name));
    return isTaken ? texts.duplicate : undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ([...names].some(([oldName, name]) => errorOf(oldName, name) !== undefined)) {
      setShowErrors(true);
      // The errors are not in the page yet.
      requestAnimationFrame(() => focusFirstError(form.current));
      return;
    }
    changeViews(new Map(views.map(({ name }) => [name, names.get(name)?.trim()])));
    onClose();
  };
  const remove = (oldName: string) => {
    setNames(new Map([...names].filter(([other]) => other !== oldName)));
    // The focused button is gone.
    form.current?.focus();
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={texts.title}
      actions={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" form={id}>
            {texts.save}
          </Button>
        </>
      }
    >
      <form id={id} ref={form} className="form" tabIndex={-1} noValidate autoComplete="off" onSubmit={submit}>
        {names.size === 0 && <p className="hint">{texts.empty}</p>}
        {[...names].map(([oldName, name]) => (
          <div key={oldName} className="view-line">
            <Field
              label={texts.name(oldName)}
              hideLabel
              error={showErrors ? errorOf(oldName, name) : undefined}
            >
              <input
                maxLength={viewLimits.nameCharacters}
                value={name}
                onChange={({ target }) => setNames(new Map(names).set(oldName, target.value))}
              />
            </Field>
            <Button
              kind="quiet"
              className="delete"
              icon={<Trash2 aria-hidden />}
              aria-label={texts.delete(oldName)}
              title={texts.delete(oldName)}
              onClick={() => remove(oldName)}
            />
          </div>
        ))}
      </form>
    </Modal>
  );
}
