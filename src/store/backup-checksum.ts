import { createHash } from "node:crypto";
import { appendFileSync, closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { megabytes, type ReportProgress } from "./backup-progress.ts";

/**
 * A backup ends with a line that says what every byte before it comes to: what no database notices, such as one letter in
 * a name that the disk has turned into another, is found out. SQLite takes no notice of it, and cuts it off when the file
 * is used as a database.
 */
const seal = (digest: string) => `\nroster backup, sha256 ${digest}\n`;
const LENGTH = seal("".padEnd(64, "0")).length;
/** The size of any SQLite file is a multiple of this. */
const PAGE = 512;
/** Where a file says how it was last written: 2 stands for a log, which Roster has as soon as it uses a file. */
const HOW_WRITTEN = 18;

export async function appendChecksum(path: string, report: ReportProgress): Promise<void> {
  appendFileSync(path, seal(await digestOf(path, statSync(path).size, "sealing", report)));
}

/** Whether the file is as it was sealed; `none` if it never was, or has been used since. */
export async function verifyChecksum(
  path: string,
  report: ReportProgress,
): Promise<"whole" | "broken" | "none"> {
  const { size } = statSync(path);
  if (size % PAGE === 0 || bytesAt(path, HOW_WRITTEN, 1)[0] === 2) return "none";
  const digest = await digestOf(path, Math.max(0, size - LENGTH), "reading", report);
  return bytesAt(path, size - LENGTH, LENGTH).toString() === seal(digest) ? "whole" : "broken";
}

async function digestOf(
  path: string,
  length: number,
  step: "reading" | "sealing",
  report: ReportProgress,
): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  const show = () => report(megabytes(step, done, length));
  show();
  if (length > 0) {
    for await (const bytes of createReadStream(path, { end: length - 1, highWaterMark: 2 ** 20 })) {
      hash.update(bytes);
      done += bytes.length;
      show();
    }
  }
  return hash.digest("hex");
}

function bytesAt(path: string, place: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, Math.max(0, place)));
  } finally {
    closeSync(file);
  }
}
