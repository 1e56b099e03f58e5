import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { randomId, roster } from "../lib/api.ts";
import type { ConflictAction } from "./import-run.ts";
import type { Target } from "./mapping.ts";
import type { FailedRow, Source } from "./source.ts";
import { buildFirstChunk, toFailedRow } from "./upload-chunks.ts";

/** What the import would do with the first rows. */
export interface DirectoryCheck {
  readonly rows: number;
  readonly created: number;
  /** Rows whose user exists, and is skipped or updated. */
  readonly existing: number;
  readonly failed: readonly FailedRow[];
}

/** Wait for the end of typing before sending rows. */
const DELAY_MS = 300;

/** Sends the first rows as a dry run, which changes nothing. */
export function useDirectoryCheck(
  source: Source,
  targets: readonly Target[],
  onConflict: ConflictAction,
  enabled: boolean,
) {
  const [id] = useState(randomId);
  return useQuery({
    queryKey: ["import-check", id, targets, onConflict],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      signal.throwIfAborted();
      return await checkDirectory(source, targets, onConflict, signal);
    },
    enabled,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

async function checkDirectory(
  source: Source,
  targets: readonly Target[],
  onConflict: ConflictAction,
  signal: AbortSignal,
): Promise<DirectoryCheck> {
  const { sent, failed, text } = buildFirstChunk(source, targets);
  const rejected = [...failed];
  let [created, existing, index] = [0, 0, 0];
  const options = { format: source.format, dryRun: true, onConflict, signal };
  for await (const outcome of sent.length > 0 ? roster.users.import(text, options) : []) {
    const row = sent[index++];
    if (row && outcome.problem) rejected.push(toFailedRow(source, targets, row, outcome));
    else if (outcome.status === 201) created++;
    else existing++;
  }
  return { rows: sent.length + failed.length, created, existing, failed: rejected };
}
