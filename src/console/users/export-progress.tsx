import { Progress } from "@base-ui/react/progress";
import type { BulkFormat } from "../../client/index.ts";
import { formatSize } from "../app/format.ts";
import { exporting as texts } from "../texts/index.ts";
import type { Came } from "./export-file.ts";

interface ExportProgressProps {
  readonly came: Came;
  readonly format: BulkFormat;
  /** How many users there will be, where that is known. */
  readonly total: number | undefined;
}

export function ExportProgress({ came, format, total }: ExportProgressProps) {
  const text = progressText(came, format);
  const counted = format === "ndjson" && total !== undefined;
  return (
    <Progress.Root
      className="bulk-bar"
      // Some may have come since they were counted.
      value={counted ? Math.min(came.users, total) : null}
      max={Math.max(total ?? 1, 1)}
      aria-valuetext={text}
    >
      <Progress.Label className="hidden">{texts.running}</Progress.Label>
      <p className="bulk-count">{text}</p>
      <Progress.Track className="bar-track">
        <Progress.Indicator className="bar-fill" />
      </Progress.Track>
    </Progress.Root>
  );
}

function progressText({ bytes, users, ms }: Came, format: BulkFormat): string {
  if (bytes === 0) return format === "csv" ? texts.looking : texts.waiting;
  const size = formatSize(bytes);
  return format === "ndjson" ? texts.came.users(users, size) : texts.came.size(size, Math.round(ms / 1000));
}
