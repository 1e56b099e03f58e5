import { countLines } from "./count-lines.ts";

/** Counts the callers that follow the events: open, refused and disconnected ones, and the bytes that they have not read. */
export class FollowerMetrics {
  open = 0;
  unreadBytes = 0;
  /** `share`: the caller had its share. `full`: all places were taken. */
  readonly refused = { share: 0, full: 0 };
  /** `slow`: the caller read nothing for too long. `room`: all followers together had too much to read. */
  readonly closed = { slow: 0, room: 0 };

  /** In the Prometheus text format. */
  lines(): string[] {
    return [
      "# HELP roster_followers Callers that follow the events, by an event stream or by waiting for the next event.",
      "# TYPE roster_followers gauge",
      `roster_followers ${this.open}`,
      "# HELP roster_followers_unread_bytes Bytes that followers have not read, all together.",
      "# TYPE roster_followers_unread_bytes gauge",
      `roster_followers_unread_bytes ${this.unreadBytes}`,
      ...countLines("roster_followers_refused_total", "Followers refused with 503, by reason.", this.refused),
      ...countLines(
        "roster_followers_closed_total",
        "Followers that the service disconnected because they did not read, by reason.",
        this.closed,
      ),
    ];
  }
}
