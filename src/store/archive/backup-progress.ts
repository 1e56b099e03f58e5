import type { MoveProgress } from "./move.ts";

/** Progress of one step of a backup or a restore. */
export interface BackupProgress {
  readonly step: MoveProgress["step"] | "reading" | "copying" | "checking" | "hashing";
  readonly done: number;
  readonly total: number;
  /** What `done` and `total` count, if the step does not say so. */
  readonly unit?: string;
}

export type ReportProgress = (progress: BackupProgress) => void;

/** Progress in megabytes, rounded up: even a small file has one. */
export function megabytes(step: BackupProgress["step"], done: number, total: number): BackupProgress {
  const toMegabytes = (bytes: number) => Math.ceil(Math.min(bytes, total) / 1_000_000);
  return { step, done: toMegabytes(done), total: toMegabytes(total), unit: "MB" };
}
