import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { BulkFormat } from "../../../client/index.ts";
import { describeError, isSignedOut, promptIfSignedOut } from "../../lib/api.ts";
import { datedFileName, saveFile, UTF8_BOM } from "../../lib/save-file.ts";
import { shell, exporting as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/modal.tsx";
import { Alert } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.tsx";
import type { Received } from "./export-file.ts";
import { ExportProgress } from "./export-progress.tsx";
import { ExportError, type ExportSource } from "./export-source.ts";

const formats: readonly BulkFormat[] = ["csv", "ndjson"];

interface ExportDialogProps {
  readonly source: ExportSource;
  readonly onClose: () => void;
}

/** Describes the export, asks for the format, and saves the file. */
export function ExportDialog({ source, onClose }: ExportDialogProps) {
  const { title, lead, count } = source;
  const [format, setFormat] = useState<BulkFormat>("csv");
  const [received, setReceived] = useState<Received>();
  const [error, setError] = useState<unknown>();
  const stopper = useRef<AbortController>(undefined);
  const id = useId();
  useEffect(() => () => stopper.current?.abort(), []);

  const save = async () => {
    stopper.current = new AbortController();
    const { signal } = stopper.current;
    setError(undefined);
    setReceived({ bytes: 0, users: undefined, ms: 0 });
    try {
      const { content, summary } = await source.read(format, { signal, onProgress: setReceived });
      if (signal.aborted) return;
      const name = datedFileName(source.fileName ?? "users", format);
      saveFile(format === "csv" ? new Blob([UTF8_BOM, content]) : content, format, name);
      showToast({ title: texts.done(name), text: summary });
      onClose();
    } catch (failure) {
      if (signal.aborted) return;
      promptIfSignedOut(failure);
      setReceived(undefined);
      setError(failure);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };

  if (received) {
    const cancel = <Button onClick={onClose}>{shell.cancel}</Button>;
    return (
      <Modal open dismissible={false} onClose={onClose} title={texts.running} actions={cancel}>
        <ExportProgress received={received} format={format} total={count} />
      </Modal>
    );
  }
  const isEmpty = count === 0;
  return (
    <Modal
      open
      // After an error, the sign-in dialog may open above: a click there must not close this dialog.
      dismissible={error === undefined}
      onClose={onClose}
      title={title}
      lead={lead}
      actions={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" form={id} disabled={isEmpty}>
            {error === undefined ? texts.submit : shell.retry}
          </Button>
        </>
      }
    >
      <form id={id} className="form" onSubmit={submit}>
        {!isEmpty && <FormatChoice format={format} onChange={setFormat} />}
        {error !== undefined && <Alert>{failureText(error)}</Alert>}
      </form>
    </Modal>
  );
}

interface FormatChoiceProps {
  readonly format: BulkFormat;
  readonly onChange: (format: BulkFormat) => void;
}

function FormatChoice({ format, onChange }: FormatChoiceProps) {
  const name = useId();
  return (
    <fieldset className="export-formats">
      <legend className="field-label">{texts.format}</legend>
      {formats.map((choice) => (
        <label key={choice} className="export-format">
          <input type="radio" name={name} checked={choice === format} onChange={() => onChange(choice)} />
          <span>
            {texts.formats[choice].name}
            <span className="hint">{texts.formats[choice].hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function failureText(error: unknown): string {
  if (error instanceof ExportError) return error.message;
  if (isSignedOut(error)) return texts.ended;
  const { title, text } = describeError(error);
  return texts.failed(title, text);
}
