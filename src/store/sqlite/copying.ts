import { statSync } from "node:fs";
import { megabytes, type Report } from "../backup-progress.ts";
import { StoreError } from "../store-error.ts";
import type { CopyAnswer, CopyAsk } from "./copy-thread.ts";
import { explained, openToRead } from "./database.ts";
import { Thread } from "./thread.ts";

const LOOKED_AT_MS = 100;

/** Copies a database as it is at one moment into an empty file, while others may write to it. Fails with a `StoreError`. */
export async function copyDatabase(from: string, to: string, waitMs: number, report: Report): Promise<void> {
  const total = bytesOf(from, waitMs);
  const show = () => report(megabytes("copying", statSync(to, { throwIfNoEntry: false })?.size ?? 0, total));
  show();
  const watch = setInterval(show, LOOKED_AT_MS);
  try {
    const fault = await asking(from, waitMs, (ask) => ask({ copyTo: to }));
    if (fault !== undefined) throw new StoreError(fault);
  } finally {
    clearInterval(watch);
  }
  report(megabytes("copying", total, total));
}

/** Looks through every table and index. Says what is wrong; undefined if nothing is. */
export async function checkDatabase(
  path: string,
  waitMs: number,
  report: Report,
): Promise<string | undefined> {
  const { db } = openToRead(path, waitMs);
  const tables = explained(path, () =>
    db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all(),
  );
  db.close();
  return asking(path, waitMs, async (ask) => {
    for (const [done, { name }] of tables.entries()) {
      report({ step: "checking", done, total: tables.length, unit: "tables" });
      const fault = await ask({ check: name });
      if (fault !== undefined) return fault;
    }
    report({ step: "checking", done: tables.length, total: tables.length, unit: "tables" });
    return undefined;
  });
}

async function asking(
  path: string,
  waitMs: number,
  work: (ask: (ask: CopyAsk) => Promise<string | undefined>) => Promise<string | undefined>,
): Promise<string | undefined> {
  const setup = { path, waitMs, recordBytes: 0, maxCandidates: undefined };
  const thread = new Thread<CopyAsk, CopyAnswer>("copy-thread", setup);
  try {
    return await work(async (ask) => (await thread.ask(ask)).fault);
  } finally {
    await thread.end();
  }
}

/** How large a copy will be, about. */
function bytesOf(path: string, waitMs: number): number {
  const { db } = openToRead(path, waitMs);
  try {
    const value = (name: string) => Number(db.query<unknown, []>(`PRAGMA ${name}`).values()[0]?.[0]);
    return explained(path, () => (value("page_count") - value("freelist_count")) * value("page_size"));
  } finally {
    db.close();
  }
}
