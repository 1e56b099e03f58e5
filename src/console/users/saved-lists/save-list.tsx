import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { shell } from "../../texts/index.ts";
import { saveList as texts } from "../../texts/saved-lists.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { findList, savedListLimits, saveList, useSavedLists } from "./saved-lists.ts";

interface SaveListProps {
  /** The name to begin with. */
  readonly name: string;
  readonly query: string;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Saves the current list under a name. */
export default function SaveList({ name: initialName, query, onSaved, onClose }: SaveListProps) {
  const [name, setName] = useState(initialName);
  const [showErrors, setShowErrors] = useState(false);
  const form = useId();
  const input = useRef<HTMLInputElement>(null);
  const lists = useSavedLists();
  const replaced = findList(lists, name);
  useEffect(() => input.current?.select(), []);
  const error = () => {
    if (name.trim() === "") return texts.missing;
    if (query.length > savedListLimits.queryCharacters) return texts.long;
    return !replaced && lists.length >= savedListLimits.lists ? texts.full(savedListLimits.lists) : undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (error() !== undefined) return input.current?.focus();
    saveList({ name: name.trim(), query });
    showToast({ title: texts.done(name.trim()) });
    onSaved();
    onClose();
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={texts.title}
      lead={texts.lead}
      actions={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" form={form}>
            {replaced ? texts.replace : texts.save}
          </Button>
        </>
      }
    >
      <form id={form} className="form" noValidate autoComplete="off" onSubmit={submit}>
        <Field
          label={texts.name}
          error={showErrors ? error() : undefined}
          {...(replaced && { hint: texts.replaces })}
        >
          <input
            ref={input}
            maxLength={savedListLimits.nameCharacters}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
      </form>
    </Modal>
  );
}
