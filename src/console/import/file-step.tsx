import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { importing as texts } from "../texts/index.ts";
import { FileUp } from "../ui/icons.ts";
import { Alert } from "../ui/states.tsx";
import { describeImportError } from "./file-text.ts";
import { openSource } from "./open-source.ts";
import type { Source } from "./source.ts";
import { StepTitle } from "./step-title.tsx";

interface FileStepProps {
  /** Whether to focus the title: the person came from another step. */
  readonly shouldFocus: boolean;
  readonly onSource: (source: Source) => void;
}

/** Takes a file that is chosen, dropped anywhere on the page, or pasted. */
export function FileStep({ shouldFocus, onSource }: FileStepProps) {
  const [reading, setReading] = useState(false);
  const [error, setError] = useState<{ title: string; text: string }>();
  const hint = useId();
  const latest = useRef(0);

  const take = async (files: readonly File[]) => {
    const [file] = files;
    if (!file) return;
    if (files.length > 1) return setError({ title: texts.file.oneOnly, text: texts.file.kinds });
    const number = ++latest.current;
    setError(undefined);
    setReading(true);
    try {
      const source = await openSource(file);
      if (number === latest.current) onSource(source);
    } catch (error) {
      if (number === latest.current) setError(describeImportError(error));
    } finally {
      if (number === latest.current) setReading(false);
    }
  };
  const over = useDroppedFiles(take);
  // Ignore the result if the person leaves this step while the file is read.
  useEffect(
    () => () => {
      latest.current++;
    },
    [],
  );

  return (
    <section className="import-step">
      <StepTitle shouldFocus={shouldFocus}>{texts.file.title}</StepTitle>
      <label className="drop-zone" data-over={over || undefined} aria-busy={reading}>
        <input
          type="file"
          className="hidden"
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv,application/x-ndjson,application/json"
          aria-describedby={hint}
          disabled={reading}
          onChange={({ target }) => {
            const files = [...(target.files ?? [])];
            // Allow choosing the same file again after correcting it.
            target.value = "";
            void take(files);
          }}
        />
        {reading ? <span className="spinner large" /> : <FileUp className="drop-icon" aria-hidden />}
        <span className="drop-text">
          {reading ? texts.file.reading : over ? texts.file.dropNow : texts.file.drop}
        </span>
      </label>
      <p className="hint" id={hint}>
        {texts.file.kinds}
      </p>
      {error && <Alert title={error.title}>{error.text}</Alert>}
      <dl className="import-kinds">
        <div>
          <dt>{texts.kinds.csv}</dt>
          <dd className="hint">{texts.file.csvText}</dd>
        </div>
        <div>
          <dt>{texts.kinds.json}</dt>
          <dd className="hint">{texts.file.jsonText}</dd>
        </div>
      </dl>
      <p className="hint">{texts.file.sent}</p>
    </section>
  );
}

/** Handles files dropped or pasted anywhere on the page. Returns whether a file is dragged over the page. */
function useDroppedFiles(take: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const onFiles = useEffectEvent(take);
  useEffect(() => {
    const stopper = new AbortController();
    const { signal } = stopper;
    const hover = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const paste = ({ clipboardData, target }: ClipboardEvent) => {
      if (!clipboardData || (target instanceof Element && target.closest("input:not([type=file]), textarea")))
        return;
      const text = clipboardData.getData("text/plain");
      const files = [...clipboardData.files];
      onFiles(files.length === 0 && text !== "" ? [new File([text], texts.file.pasted)] : files);
    };
    addEventListener("dragover", hover, { signal });
    addEventListener("dragleave", leave, { signal });
    addEventListener("drop", drop, { signal });
    addEventListener("paste", paste, { signal });
    return () => stopper.abort();
  }, []);
  return over;
}
