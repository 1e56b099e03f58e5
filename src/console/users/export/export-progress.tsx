import type { BulkFormat } from "../../../client/index.ts";
import { formatSize } from "../../texts/format.ts";
import { exporting as texts } from "../../texts/index.ts";
import { Progress } from "../../ui/progress.tsx";
import type { Came } from "./export-file.ts";

interface ExportProgressProps {
  readonly came: Came;
  readonly format: BulkFormat;
  /** How many users there will be, where that is known. */
  readonly total: number | undefined;
}

export function ExportProgress({ came, format, total }: ExportProgressProps) {
  const counted = format === "ndjson" && total !== undefined;
  return (
    <Progress
      label={texts.running}
      // Some may have come since they were counted.
      value={counted ? Math.min(came.users, total) : null}
      max={total ?? 1}
      text={progressText(came, format)}
    />
  );
}

function progressText({ bytes, users, ms }: Came, format: BulkFormat): string {
  if (bytes === 0) return format === "csv" ? texts.looking : texts.waiting;
  const size = formatSize(bytes);
  return format === "ndjson" ? texts.came.users(users, size) : texts.came.size(size, Math.round(ms / 1000));
}
