import { queryClient, roster } from "../../lib/api.ts";
import { refreshOverview } from "../../overview/queries.ts";
import { bulk, noUsers as texts } from "../../texts/index.ts";
import { reportError, showToast } from "../../ui/toasts.tsx";
import { fieldsQuery } from "../field-info.ts";
import { reloadUsers, removeCachedUsers } from "../queries.ts";
import { offerRestore } from "../undo/offer-restore.ts";
import { createSampleUsers } from "./sample-users.ts" with { type: "macro" };

const DELETE_MS = 15_000;

/** Creates the sample users, and offers to delete them again. */
export async function loadSampleUsers(): Promise<void> {
  try {
    const created: number[] = [];
    const problems: string[] = [];
    for await (const line of roster.users.import(createSampleUsers())) {
      if (line.id !== undefined) created.push(line.id);
      else problems.push(line.problem?.detail ?? "");
    }
    await reload();
    if (created.length > 0) offerDelete(created);
    // The schema of the directory may not allow the fields.
    const [text] = problems;
    if (text !== undefined)
      showToast({ title: texts.failed(problems.length), text, kind: "failed", ms: 10_000 });
  } catch (error) {
    reportError(error);
  }
}

function offerDelete(ids: readonly number[]): void {
  showToast({
    title: texts.created(ids.length),
    text: texts.deleteLater,
    ms: DELETE_MS,
    action: { label: texts.delete, run: () => void deleteUsers(ids) },
  });
}

async function deleteUsers(ids: readonly number[]): Promise<void> {
  try {
    await roster.users.bulk({ ids, delete: true }).summary();
    removeCachedUsers(new Set(ids));
    await reload();
    offerRestore(bulk.deleting.done(ids.length), ids);
  } catch (error) {
    reportError(error);
  }
}

/** Other views show the users, and their fields, too. */
async function reload(): Promise<void> {
  await Promise.all([
    reloadUsers(),
    refreshOverview(),
    queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
  ]);
}
