import { countLines } from "./count-lines.ts";

/** Counts imports and exports: running, refused and closed ones. */
export class BulkMetrics {
  open = 0;
  /** `share`: the caller had its share. `full`: all places were taken. */
  readonly refused = { share: 0, full: 0 };
  /** `slow`: below the minimum speed. `idle`: another caller needed the place. */
  readonly closed = { slow: 0, idle: 0 };

  /** In the Prometheus text format. */
  lines(): string[] {
    return [
      "# HELP roster_bulk_streams Imports and exports that are running.",
      "# TYPE roster_bulk_streams gauge",
      `roster_bulk_streams ${this.open}`,
      ...countLines(
        "roster_bulk_refused_total",
        "Imports and exports refused with 503, by reason.",
        this.refused,
      ),
      ...countLines(
        "roster_bulk_closed_total",
        "Imports and exports that the service closed because of their caller, by reason.",
        this.closed,
      ),
    ];
  }
}
