import { type FormEvent, useId, useRef, useState } from "react";
import { shell } from "../../texts/index.ts";
import { saveList, manageLists as texts } from "../../texts/saved-lists.ts";
import { Button } from "../../ui/button.tsx";
import { Field, focusFirstError } from "../../ui/field.tsx";
import { Trash2 } from "../../ui/icons.ts";
import { Modal } from "../../ui/modal.tsx";
import { changeLists, isSameName, readSavedLists, savedListLimits } from "./saved-lists.ts";

/** Renames and deletes lists. Nothing changes before "Save changes". */
export default function ManageLists({ onClose }: { readonly onClose: () => void }) {
  const [lists] = useState(readSavedLists);
  /** The names by the old names. A list without one is deleted. */
  const [names, setNames] = useState<ReadonlyMap<string, string>>(
    () => new Map(lists.map(({ name }) => [name, name])),
  );
  const [showErrors, setShowErrors] = useState(false);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const errorOf = (oldName: string, name: string) => {
    if (name.trim() === "") return saveList.missing;
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
    changeLists(new Map(lists.map(({ name }) => [name, names.get(name)?.trim()])));
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
          <div key={oldName} className="saved-list">
            <Field
              label={texts.name(oldName)}
              hideLabel
              error={showErrors ? errorOf(oldName, name) : undefined}
            >
              <input
                maxLength={savedListLimits.nameCharacters}
                value={name}
                onChange={({ target }) => setNames(new Map(names).set(oldName, target.value))}
              />
            </Field>
            <Button
              kind="destructive"
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
