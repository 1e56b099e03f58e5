import type { User } from "../../../client/index.ts";
import { describeError, isOutcomeUnknown, isProblem } from "../../lib/api.ts";
import { focusWhileScrollable } from "../../lib/focus-while-scrollable.ts";
import { datedFileName, saveCsvReport } from "../../lib/save-file.ts";
import { formatNumber } from "../../texts/format.ts";
import { bulk } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { Download } from "../../ui/icons.ts";
import { showErrorToast } from "../../ui/toasts.tsx";
import type { BulkProgress, Failed } from "./bulk-run.ts";

const texts = bulk.outcomes;
/** The download contains all failures. */
const MAX_SHOWN = 100;

export type DescribeFailure = (error: unknown) => string;

interface JobResultProps {
  readonly progress: BulkProgress<User>;
  readonly describeFailure: DescribeFailure;
}

/** The result of a job: which users failed, and why. */
export function JobResult({ progress: { failed, left }, describeFailure }: JobResultProps) {
  return (
    <>
      {left > 0 && (
        <p className="lead" role="status">
          {texts.stopped(left)}
        </p>
      )}
      {failed.length > 0 && (
        <>
          <p className="lead" role="status">
            {texts.failed(failed.length)}
          </p>
          <ul className="bulk-failed" aria-label={texts.failedList} ref={focusWhileScrollable}>
            {failed.slice(0, MAX_SHOWN).map(({ item: { id, name, email }, error }) => (
              <li key={id}>
                <p className="bulk-failed-name">
                  {name} <span className="hint">{email}</span>
                </p>
                <p className="field-error">{describeFailure(error)}</p>
              </li>
            ))}
            {failed.length > MAX_SHOWN && <li className="hint">{bulk.more(failed.length - MAX_SHOWN)}</li>}
          </ul>
          <div>
            <Button icon={<Download aria-hidden />} onClick={() => void download(failed, describeFailure)}>
              {texts.download}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

export function defaultFailureText(error: unknown): string {
  if (isOutcomeUnknown(error)) return texts.unknown;
  if (isProblem(error, "user-not-found")) return texts.missing;
  return describeError(error).text;
}

/** Label of the button that runs the unfinished users again. */
export function retryLabel({ failed, left }: BulkProgress<User>): string {
  if (failed.length === 0) return texts.rest(left);
  return left === 0 ? texts.again : texts.both(formatNumber(left));
}

async function download(failed: readonly Failed<User>[], describeFailure: DescribeFailure): Promise<void> {
  try {
    const { id, name, email, problem } = texts.columns;
    const rows = failed.map(({ item, error }) => [
      item.id,
      item.name,
      item.email ?? "",
      describeFailure(error),
    ]);
    await saveCsvReport([[id, name, email, problem], ...rows], datedFileName(texts.file, "csv"));
  } catch (error) {
    showErrorToast(error);
  }
}
