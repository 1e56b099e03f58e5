import type { BulkFormat } from "../../../client/index.ts";
import { formatSize } from "../../texts/format.ts";
import { exporting as texts } from "../../texts/index.ts";
import { Progress } from "../../ui/progress.tsx";
import type { Received } from "./export-file.ts";

interface ExportProgressProps {
  readonly received: Received;
  readonly format: BulkFormat;
  /** Number of users to export, if known. */
  readonly total: number | undefined;
}

export function ExportProgress({ received, format, total }: ExportProgressProps) {
  const counted = format === "ndjson" && total !== undefined;
  return (
    <Progress
      label={texts.running}
      // Users may have been created after the count.
      value={counted ? Math.min(received.users, total) : null}
      max={total ?? 1}
      text={progressText(received, format)}
    />
  );
}

function progressText({ bytes, users, ms }: Received, format: BulkFormat): string {
  if (bytes === 0) return format === "csv" ? texts.scanning : texts.waiting;
  const size = formatSize(bytes);
  return format === "ndjson"
    ? texts.received.users(users, size)
    : texts.received.size(size, Math.round(ms / 1000));
}
