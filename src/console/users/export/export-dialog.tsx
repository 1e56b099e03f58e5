import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { BulkFormat } from "../../../client/index.ts";
import { describeError, isSignedOut, promptIfSignedOut, roster } from "../../lib/api.ts";
import { datedFileName, saveFile } from "../../lib/save-file.ts";
import { formatSize } from "../../texts/format.ts";
import { shell, exporting as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/modal.tsx";
import { Alert } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { readFilters } from "../filters/condition.ts";
import { describeCondition } from "../filters/condition-words.ts";
import { useFilterFields } from "../filters/filter-field.ts";
import { isFiltered, type ListParams, toListOptions } from "../list-params.ts";
import { countQuery } from "../queries.ts";
import { type Received, readIntoFile } from "./export-file.ts";
import { ExportProgress } from "./export-progress.tsx";

/** Long, because a CSV export reads all users for their fields before it sends the first row. */
const EXPORT_TIMEOUT_MS = 600_000;
const formats: readonly BulkFormat[] = ["csv", "ndjson"];

interface ExportDialogProps {
  readonly search: ListParams;
  readonly total: number | undefined;
  readonly onClose: () => void;
}

/** Describes the export, asks for the format, and saves the file. */
export function ExportDialog({ search, total, onClose }: ExportDialogProps) {
  const { data: counted, isPlaceholderData } = useQuery(countQuery(search));
  const count = isPlaceholderData ? undefined : total;
  const capped = counted?.capped ?? false;
  const [format, setFormat] = useState<BulkFormat>("csv");
  const [received, setReceived] = useState<Received>();
  const [error, setError] = useState<unknown>();
  const stopper = useRef<AbortController>(undefined);
  const id = useId();
  const toField = useFilterFields();
  useEffect(() => () => stopper.current?.abort(), []);

  const save = async () => {
    stopper.current = new AbortController();
    const { signal } = stopper.current;
    setError(undefined);
    setReceived({ bytes: 0, users: 0, ms: 0 });
    try {
      const options = { ...toListOptions(search), signal, timeout: EXPORT_TIMEOUT_MS };
      const file = await readIntoFile(await roster.users.export(options).stream(format), format, setReceived);
      if (signal.aborted) return;
      const name = datedFileName("users", format);
      saveFile(file, format, name);
      showToast({ title: texts.done(name), text: formatSize(file.size) });
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
        <ExportProgress received={received} format={format} total={capped ? undefined : count} />
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
      title={texts.title}
      lead={describeExport(search, describeFilters(search, toField), { count, capped })}
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

/** The search and the filters, in the words of the chips. */
function describeFilters(search: ListParams, toField: ReturnType<typeof useFilterFields>): string[] {
  const { conditions, expression } = readFilters(search);
  const q = search.q.trim();
  return [
    ...(q === "" ? [] : [texts.search(q)]),
    ...conditions.map((condition) => describeCondition(condition, toField(condition.field))),
    ...(expression === undefined ? [] : [expression]),
  ];
}

/** Describes what will be exported. */
function describeExport(
  search: ListParams,
  conditions: readonly string[],
  { count, capped }: { readonly count: number | undefined; readonly capped: boolean },
): string {
  if (!isFiltered(search)) return count === 0 ? texts.empty.all : `${texts.all(count)} ${texts.order}`;
  if (count === 0) return texts.empty.matching;
  return `${texts.matching(count, capped, conditions)} ${texts.order}`;
}

function failureText(error: unknown): string {
  if (isSignedOut(error)) return texts.ended;
  const { title, text } = describeError(error);
  return texts.failed(title, text);
}
