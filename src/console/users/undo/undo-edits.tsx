import { queryClient } from "../../lib/api.ts";
import { formatUsers } from "../../texts/format.ts";
import { undo as texts } from "../../texts/undo.ts";
import { openDialog } from "../../ui/dialogs.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { type ManyChange, type ManyProgress, ManyRun } from "../bulk/many-run.ts";
import { RunProgress } from "../bulk/run-dialog.tsx";
import { TableUpdates } from "../bulk/table-updates.ts";
import { fieldsQuery } from "../field-info.ts";
import { changeBack, type FindEdited } from "./edited-users.ts";

/** An undo that takes longer shows a dialog with its progress. */
const DIALOG_MS = 500;

interface Edits {
  /** How many users were updated. */
  readonly count: number;
  /** The name of the only user. */
  readonly name?: string | undefined;
  readonly find: FindEdited;
}

/** Changes edited users back, and says how many. Resolves to false if the person has stopped it. */
export async function undoEdits({ count, name, find }: Edits): Promise<boolean> {
  const table = new TableUpdates();
  try {
    return await undoWith(
      changeBack(find, (user) => table.add(user)),
      count,
      name,
    );
  } finally {
    table.flush();
    void queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey });
  }
}

/** Undoes a change of many users by another one, and says how many. Resolves to false if the person has stopped it. */
export async function undoWith(
  change: ManyChange,
  count: number,
  name = formatUsers(count),
): Promise<boolean> {
  const end = await runWithDialog(new ManyRun(change), count);
  const isPartly = end.changed.length + end.failed.length > 0;
  if (end.error === undefined || isPartly) showResult(end, count, name);
  if (end.error !== undefined) throw end.error;
  return !end.stopped;
}

async function runWithDialog(run: ManyRun, count: number): Promise<ManyProgress> {
  let close: () => void = () => undefined;
  const timer = setTimeout(() => {
    close = openDialog(() => <RunProgress run={run} count={count} title={texts.running(count)} />);
  }, DIALOG_MS);
  const end = await run.run();
  clearTimeout(timer);
  close();
  return end;
}

function showResult(end: ManyProgress, count: number, name: string): void {
  const { changed, failed, found, error, stopped } = end;
  const done = changed.length;
  const total = Math.max(count, found);
  const changedSince = failed.filter(({ status }) => status === 412).length;
  const deletedSince = failed.filter(({ status }) => status === 404).length;
  const refused = failed.filter(({ status }) => status !== 412 && status !== 404);
  const isWhole = error === undefined && !stopped;
  const unknown = isWhole ? count - found : 0;
  const text = [
    changedSince > 0 && texts.changed(changedSince, total),
    deletedSince > 0 && texts.deleted(deletedSince, total),
    refused.length > 0 && texts.refused(refused.length, refused[0]?.problem?.detail ?? ""),
    unknown > 0 && texts.unknown(unknown),
    stopped && texts.stopped(total - done - failed.length),
  ].filter((part) => part !== false);
  const isDone = isWhole && failed.length === 0 && done > 0;
  const title = isDone
    ? texts.done(done === count ? name : formatUsers(done))
    : done === 0
      ? texts.failed(name)
      : texts.partly(done, total);
  showToast({
    title,
    ...(text.length > 0 && { text: text.join(" "), ms: 10_000 }),
    ...(!isDone && { kind: "failed" }),
  });
}
