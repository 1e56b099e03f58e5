import { Download } from "lucide-react";
import type { User } from "../../../client/index.ts";
import { explain, isRefusal, isUncertain } from "../../lib/api.ts";
import { dated, saveReport } from "../../lib/save-file.ts";
import { formatNumber } from "../../texts/format.ts";
import { bulk } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { tellFailure } from "../../ui/toasts.tsx";
import type { Failed, BulkProgress } from "./bulk-run.ts";

const texts = bulk.outcomes;
/** More are not read, but downloaded. */
const MOST_SHOWN = 100;

export type DescribeFailure = (error: unknown) => string;

interface JobOutcomesProps {
  readonly progress: BulkProgress<User>;
  readonly reasonOf: DescribeFailure;
}

/** What became of them: of those that failed, who and why. */
export function JobOutcomes({ progress: { failed, left }, reasonOf }: JobOutcomesProps) {
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
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it. */}
          <ul className="bulk-failed" aria-label={texts.failedList} tabIndex={0}>
            {failed.slice(0, MOST_SHOWN).map(({ item: { id, name, email }, error }) => (
              <li key={id}>
                <p className="bulk-failed-name">
                  {name} <span className="hint">{email}</span>
                </p>
                <p className="fault">{reasonOf(error)}</p>
              </li>
            ))}
            {failed.length > MOST_SHOWN && <li className="hint">{bulk.more(failed.length - MOST_SHOWN)}</li>}
          </ul>
          <div>
            <Button icon={<Download aria-hidden />} onClick={() => void download(failed, reasonOf)}>
              {texts.download}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

/** Why one failed, in a sentence. */
export function usualReason(error: unknown): string {
  if (isUncertain(error)) return texts.uncertain;
  if (isRefusal(error, "user-not-found")) return texts.missing;
  return explain(error).text;
}

/** What the button says that does those that were not done. */
export function againText({ failed, left }: BulkProgress<User>): string {
  if (failed.length === 0) return texts.rest(left);
  return left === 0 ? texts.again : texts.both(formatNumber(left));
}

async function download(failed: readonly Failed<User>[], reasonOf: DescribeFailure): Promise<void> {
  try {
    const { id, name, email, problem } = texts.columns;
    const rows = failed.map(({ item, error }) => [item.id, item.name, item.email ?? "", reasonOf(error)]);
    await saveReport([[id, name, email, problem], ...rows], dated(texts.file, "csv"));
  } catch (error) {
    tellFailure(error);
  }
}
