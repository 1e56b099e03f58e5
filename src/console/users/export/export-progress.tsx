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
  const { users } = received;
  return (
    <Progress
      label={texts.running}
      // Users may have been created after the count.
      value={users !== undefined && total !== undefined ? Math.min(users, total) : null}
      max={total ?? 1}
      text={progressText(received, format)}
    />
  );
}

function progressText({ bytes, users, ms }: Received, format: BulkFormat): string {
  if (bytes === 0) return format === "csv" ? texts.scanning : texts.waiting;
  const size = formatSize(bytes);
  return users === undefined
    ? texts.received.size(size, Math.round(ms / 1000))
    : texts.received.users(users, size);
}
