import { createHash } from "node:crypto";
import { appendFileSync, closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { megabytes, type ReportProgress } from "./backup-progress.ts";

/**
 * The last line of a backup: a checksum of all bytes before it. It detects damage that SQLite does not notice, such as a
 * changed letter in a name. SQLite ignores the line, and cuts it off when the file is used as a database.
 */
const checksumLine = (checksum: string) => `\nroster backup, sha256 ${checksum}\n`;
const LINE_LENGTH = checksumLine("".padEnd(64, "0")).length;
const SQLITE_HEADER = "SQLite format 3\0";
/** The smallest page of SQLite: the size of every SQLite file is a multiple of it. */
const MIN_PAGE_BYTES = 512;
/** Offset of the write version in the header of an SQLite file. 2 means WAL, which Roster sets when it opens a file. */
const WRITE_VERSION_OFFSET = 18;

export async function appendChecksum(path: string, report: ReportProgress): Promise<void> {
  appendFileSync(path, checksumLine(await computeChecksum(path, statSync(path).size, "hashing", report)));
}

/** Whether a file begins like an SQLite file, ends like a backup, or is empty. */
export function mayBeBackup(path: string): boolean {
  const { size } = statSync(path);
  const start = readBytes(path, 0, SQLITE_HEADER.length).toString("latin1");
  const end = readBytes(path, size - LINE_LENGTH, LINE_LENGTH).toString("latin1");
  return size === 0 || start === SQLITE_HEADER || end.startsWith(checksumLine("").trimEnd());
}

/** Compares a backup with its checksum; `none` if it has no checksum, or has been used as a database since. */
export async function verifyChecksum(
  path: string,
  report: ReportProgress,
): Promise<"valid" | "invalid" | "none"> {
  const { size } = statSync(path);
  if (size % MIN_PAGE_BYTES === 0 || readBytes(path, WRITE_VERSION_OFFSET, 1)[0] === 2) return "none";
  const checksum = await computeChecksum(path, Math.max(0, size - LINE_LENGTH), "reading", report);
  const line = readBytes(path, size - LINE_LENGTH, LINE_LENGTH).toString();
  return line === checksumLine(checksum) ? "valid" : "invalid";
}

async function computeChecksum(
  path: string,
  length: number,
  step: "reading" | "hashing",
  report: ReportProgress,
): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  const reportProgress = () => report(megabytes(step, done, length));
  reportProgress();
  if (length > 0) {
    for await (const bytes of createReadStream(path, { end: length - 1, highWaterMark: 2 ** 20 })) {
      hash.update(bytes);
      done += bytes.length;
      reportProgress();
    }
  }
  return hash.digest("hex");
}

function readBytes(path: string, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, Math.max(0, position)));
  } finally {
    closeSync(file);
  }
}
