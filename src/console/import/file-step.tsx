import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useObservable } from "../lib/observable.ts";
import { useSession } from "../lib/session.ts";
import { formatPercent } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { Button } from "../ui/button.tsx";
import { FileUp } from "../ui/icons.ts";
import { Alert } from "../ui/states.tsx";
import { describeImportError } from "./file-text.ts";
import { chooseSource, chosenKind, continueImport } from "./import-flow.ts";
import { importKinds, kinds } from "./import-kinds.ts";
import { openSource } from "./open-source.ts";
import { StepTitle } from "./step-title.tsx";
import { findUnfinished, forgetUnfinished } from "./unfinished-import.ts";

/** Takes a file that is chosen, dropped anywhere on the page, or pasted. */
export function FileStep({ shouldFocus }: { readonly shouldFocus: boolean }) {
  /** The share of the file that is read. */
  const [reading, setReading] = useState<number>();
  const [unfinished, setUnfinished] = useState(findUnfinished);
  const [error, setError] = useState<{ title: string; text: string }>();
  const hint = useId();
  const latest = useRef(new AbortController());

  const kind = useObservable(chosenKind);
  const session = useSession();
  const offered = importKinds.filter((each) =>
    kinds[each].scopes.every((scope) => session?.scopes.includes(scope) ?? true),
  );
  // The scopes of the key decide, and another key can have others.
  const shown = offered.includes(kind) ? kind : (offered[0] ?? kind);
  const names = useId();

  const take = async (files: readonly File[]) => {
    const [file] = files;
    if (!file) return;
    if (files.length > 1) return setError({ title: texts.file.oneOnly, text: texts.file.kinds });
    latest.current.abort();
    latest.current = new AbortController();
    const { signal } = latest.current;
    setError(undefined);
    setReading(0);
    try {
      const onProgress = (bytes: number) => setReading(bytes / file.size);
      const source = await openSource(file, { signal, onProgress });
      if (signal.aborted) return;
      if (!unfinished) chooseSource(source, shown);
      else if (!continueImport(unfinished, source))
        setError(texts.unfinished.otherFile(unfinished.file.name));
    } catch (error) {
      if (!signal.aborted) setError(describeImportError(error));
    } finally {
      if (!signal.aborted) setReading(undefined);
    }
  };
  const over = useDroppedFiles(take);
  // Stop if the person leaves this step while the file is read.
  useEffect(() => () => latest.current.abort(), []);
  const isReading = reading !== undefined;

  const describeZone = () => {
    if (reading !== undefined) return texts.file.reading(formatPercent(reading));
    if (over) return texts.file.dropNow;
    return unfinished ? texts.unfinished.choose(unfinished.file.name) : texts.file.drop;
  };

  return (
    <section className="import-step">
      <StepTitle shouldFocus={shouldFocus}>{texts.file.title}</StepTitle>
      {unfinished && (
        <div className="card import-unfinished">
          <div>
            <h3 className="import-unfinished-title">{texts.unfinished.title(unfinished.file.name)}</h3>
            <p className="hint">{texts.unfinished.text(unfinished.rows, unfinished.file.rowCount)}</p>
          </div>
          <Button
            onClick={() => {
              forgetUnfinished();
              setUnfinished(undefined);
              setError(undefined);
            }}
          >
            {texts.unfinished.forget}
          </Button>
        </div>
      )}
      {!unfinished && offered.length > 1 && (
        <div className="import-kinds-choice">
          <fieldset className="segments">
            <legend className="hidden">{texts.kind}</legend>
            {offered.map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name={names}
                  checked={each === shown}
                  onChange={() => chosenKind.set(each)}
                />
                {texts.of[each].name}
              </label>
            ))}
          </fieldset>
          <p className="hint">{texts.of[shown].lead}</p>
        </div>
      )}
      <label className="drop-zone" data-over={over || undefined} aria-busy={isReading}>
        <input
          type="file"
          className="hidden"
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv,application/x-ndjson,application/json"
          aria-describedby={hint}
          disabled={isReading}
          onChange={({ target }) => {
            const files = [...(target.files ?? [])];
            // Allow choosing the same file again after correcting it.
            target.value = "";
            void take(files);
          }}
        />
        {isReading ? <span className="spinner large" /> : <FileUp className="drop-icon" aria-hidden />}
        <span className="drop-text">{describeZone()}</span>
      </label>
      <p className="hint" id={hint}>
        {texts.file.kinds}
      </p>
      {error && <Alert title={error.title}>{error.text}</Alert>}
      <dl className="import-formats">
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
