import { percentile } from "../../../bench/support/statistics.ts";

/** What has been sent, provoked and found out. */
export class Report {
  readonly failures: string[] = [];
  /** Milliseconds until answers, while the service is not restarted. */
  readonly times: number[] = [];
  readonly provoked = new Map<string, number>();
  requests = 0;
  retries = 0;

  fail(sentence: string): void {
    this.failures.push(sentence);
  }

  provoke(what: string): void {
    this.provoked.set(what, (this.provoked.get(what) ?? 0) + 1);
  }

  /** One line about the run so far. */
  describe(seconds: number): string {
    const rate = (this.requests / seconds).toFixed(1);
    return `${Math.round(seconds)} s: ${this.requests} requests (${rate} per second), ${this.retries} retries, ${this.failures.length} failures`;
  }

  describeErrors(): string {
    return [...this.provoked].map(([what, count]) => `${count} × ${what}`).join(", ");
  }

  describeTimes(): string {
    const at = (share: number) => `${percentile(this.times, share).toFixed(0)} ms`;
    return `p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)}`;
  }
}
