import type { BulkFormat } from "../../../client/index.ts";
import type { Received } from "./export-file.ts";

/** Long, because a CSV export reads all users for their fields before it sends the first row. */
export const EXPORT_TIMEOUT_MS = 600_000;

/** Users that the dialog can export. */
export interface ExportSource {
  readonly title: string;
  readonly lead: string;
  /** How the name of the file begins. Default: "users". */
  readonly fileName?: string;
  /** The number of users, if it is known. */
  readonly count: number | undefined;
  readonly read: (format: BulkFormat, reading: Reading) => Promise<ExportedUsers>;
}

interface Reading {
  readonly signal: AbortSignal;
  readonly onProgress: (received: Received) => void;
}

interface ExportedUsers {
  readonly content: Blob;
  /** What the file has, in words. */
  readonly summary: string;
}

/** The export is not possible. The message says why. */
export class ExportError extends Error {}
