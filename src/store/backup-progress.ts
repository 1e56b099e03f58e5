import type { MoveProgress } from "./move.ts";

/** How far one step of a backup is, or of bringing one back. */
export interface BackupProgress {
  readonly step: MoveProgress["step"] | "reading" | "copying" | "checking" | "sealing";
  readonly done: number;
  readonly total: number;
  /** What is counted, where the name of the step does not say it. */
  readonly unit?: string;
}

export type ReportProgress = (progress: BackupProgress) => void;

/** How far something is that is counted in bytes: in whole megabytes, of which even a small file has one. */
export function megabytes(step: BackupProgress["step"], done: number, total: number): BackupProgress {
  const of = (bytes: number) => Math.ceil(Math.min(bytes, total) / 1_000_000);
  return { step, done: of(done), total: of(total), unit: "MB" };
}
