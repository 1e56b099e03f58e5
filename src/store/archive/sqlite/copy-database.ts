import { statSync } from "node:fs";
import type { CopyRequest, CopyResponse } from "../../sqlite/copy-thread.ts";
import { openUnchanged, withStoreErrors } from "../../sqlite/database.ts";
import { Thread, type ThreadSetup } from "../../sqlite/thread.ts";
import { StoreError } from "../../store-error.ts";
import { megabytes, type ReportProgress } from "../backup-progress.ts";

const PROGRESS_INTERVAL_MS = 100;

/** Copies a snapshot of a database into an empty file, while others may write to it. Fails with a `StoreError`. */
export async function copyDatabase(
  from: string,
  to: string,
  waitMs: number,
  report: ReportProgress,
): Promise<void> {
  const total = estimateBytes(from, waitMs);
  const reportProgress = () =>
    report(megabytes("copying", statSync(to, { throwIfNoEntry: false })?.size ?? 0, total));
  reportProgress();
  const timer = setInterval(reportProgress, PROGRESS_INTERVAL_MS);
  try {
    const error = await withCopyThread(from, waitMs, (request) => request({ kind: "copy", to }));
    if (error !== undefined) throw new StoreError(error);
  } finally {
    clearInterval(timer);
  }
  report(megabytes("copying", total, total));
}

/** Checks every table and index. Returns what is wrong; undefined if nothing is. */
export async function checkIntegrity(
  path: string,
  waitMs: number,
  report: ReportProgress,
): Promise<string | undefined> {
  const { db } = openUnchanged(path, waitMs);
  const tables = withStoreErrors(path, () =>
    db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all(),
  );
  db.close();
  return withCopyThread(path, waitMs, async (request) => {
    for (const [done, { name }] of tables.entries()) {
      report({ step: "checking", done, total: tables.length, unit: "tables" });
      const error = await request({ kind: "check", table: name });
      if (error !== undefined) return error;
    }
    report({ step: "checking", done: tables.length, total: tables.length, unit: "tables" });
    return undefined;
  });
}

async function withCopyThread(
  path: string,
  waitMs: number,
  work: (request: (request: CopyRequest) => Promise<string | undefined>) => Promise<string | undefined>,
): Promise<string | undefined> {
  const thread = new Thread<ThreadSetup, CopyRequest, CopyResponse>("copy-thread", { path, waitMs });
  try {
    return await work(async (request) => (await thread.request(request)).error);
  } finally {
    await thread.end();
  }
}

/** Approximate size of a copy, in bytes. */
function estimateBytes(path: string, waitMs: number): number {
  const { db } = openUnchanged(path, waitMs);
  try {
    const value = (name: string) => Number(db.query<unknown, []>(`PRAGMA ${name}`).values()[0]?.[0]);
    return withStoreErrors(path, () => (value("page_count") - value("freelist_count")) * value("page_size"));
  } finally {
    db.close();
  }
}
