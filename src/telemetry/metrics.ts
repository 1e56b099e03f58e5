import type { StoreGauges, StoreObserver } from "../domain/store.ts";
import { BulkMetrics } from "./bulk-metrics.ts";
import { FollowerMetrics } from "./follower-metrics.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";

const SECONDS_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const WRITES_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Values at the time of a scrape. */
export interface Gauges {
  readonly build: { readonly version: string; readonly engine: string };
  readonly requestsInFlight: number;
  readonly store: StoreGauges;
  /** Undefined for no limit. */
  readonly maxEventBytes: number | undefined;
  /** Undefined if the database cannot be read. */
  readonly waitingDeliveries: number | undefined;
}

/** Counters and histograms in memory. `render` writes them for Prometheus. */
export class Metrics implements StoreObserver {
  readonly #requests = new Map<string, Map<string, Map<number, Histogram>>>();
  readonly #batchSizes = new Histogram(WRITES_BOUNDS);
  readonly #batchSeconds = new Histogram(SECONDS_BOUNDS);

  #requestCount = 0;

  readonly bulk = new BulkMetrics();
  readonly followers = new FollowerMetrics();
  readonly webhooks = new WebhookMetrics();

  /** Requests that were answered so far. */
  get requests(): number {
    return this.#requestCount;
  }

  recordRequest(route: string, method: string, status: number, seconds: number): void {
    this.#requestCount++;
    const methods = getOrCreate(this.#requests, route, () => new Map<string, Map<number, Histogram>>());
    const statuses = getOrCreate(methods, method, () => new Map<number, Histogram>());
    getOrCreate(statuses, status, () => new Histogram(SECONDS_BOUNDS)).observe(seconds);
  }

  committed(writes: number, seconds: number): void {
    this.#batchSizes.observe(writes);
    this.#batchSeconds.observe(seconds);
  }

  /** The Prometheus text format, version 0.0.4. Leaves out what the engine does not have. */
  render({ build, requestsInFlight, store, maxEventBytes, waitingDeliveries }: Gauges): string {
    const { up, stats, queuedWrites, poolInUse, diskFreeBytes, walBytes } = store;
    const { rss, heapUsed } = process.memoryUsage();
    const cpu = process.cpuUsage();
    return [
      ...this.#requestLines(),
      ...family(
        "roster_commit_writes",
        "histogram",
        "Writes per commit.",
        this.#batchSizes.lines("roster_commit_writes"),
      ),
      ...family(
        "roster_commit_duration_seconds",
        "histogram",
        "Time to commit a batch of writes.",
        this.#batchSeconds.lines("roster_commit_duration_seconds"),
      ),
      ...this.bulk.lines(),
      ...this.followers.lines(),
      ...this.webhooks.lines(),
      ...gauge(
        "roster_webhook_deliveries_waiting",
        "Deliveries to webhooks that wait for a retry, or for an earlier event of the same subject.",
        waitingDeliveries,
      ),
      ...gauge("roster_users", "Number of users.", stats?.users),
      ...gauge("roster_groups", "Number of groups.", stats?.groups),
      ...gauge("roster_store_bytes", "Size of the database in bytes.", stats?.bytes),
      ...gauge("roster_events_bytes", "Size of all events in bytes.", stats?.eventBytes),
      ...gauge(
        "roster_events_limit_bytes",
        "Size of all events over which the oldest are removed, in bytes.",
        maxEventBytes,
      ),
      ...gauge(
        "roster_last_backup_timestamp_seconds",
        "Unix time at which the last successful backup was taken.",
        typeof stats?.lastBackupAt === "number" ? stats.lastBackupAt / 1000 : undefined,
      ),
      ...gauge("roster_database_up", "1 if reads and writes work, otherwise 0.", up ? 1 : 0),
      ...gauge("roster_write_queue_depth", "Writes that wait for their commit.", queuedWrites),
      ...gauge("roster_database_pool_in_use", "PostgreSQL: connections in use.", poolInUse),
      ...gauge(
        "roster_disk_free_bytes",
        "SQLite: free space on the disk of the database in bytes.",
        diskFreeBytes,
      ),
      ...gauge("roster_wal_bytes", "SQLite: size of the write-ahead log in bytes.", walBytes),
      ...gauge(
        "roster_http_requests_in_flight",
        "Requests in progress, including streams and this request.",
        requestsInFlight,
      ),
      ...family("roster_build_info", "gauge", "Version and engine of this service. Always 1.", [
        `roster_build_info{version="${build.version}",engine="${build.engine}",bun="${Bun.version}"} 1`,
      ]),
      ...counter(
        "process_cpu_seconds_total",
        "CPU time of the process in seconds.",
        (cpu.user + cpu.system) / 1e6,
      ),
      ...gauge("process_resident_memory_bytes", "Resident memory of the process in bytes.", rss),
      ...gauge("process_heap_bytes", "JavaScript heap of the process in bytes.", heapUsed),
      ...gauge(
        "process_start_time_seconds",
        "Start time of the process in Unix seconds.",
        Math.round(performance.timeOrigin / 1000),
      ),
      "",
    ].join("\n");
  }

  #requestLines(): string[] {
    const name = "roster_http_request_duration_seconds";
    const lines: string[] = [];
    for (const [route, methods] of this.#requests) {
      for (const [method, statuses] of methods) {
        for (const [status, histogram] of statuses) {
          lines.push(...histogram.lines(name, `route="${route}",method="${method}",status="${status}"`));
        }
      }
    }
    return family(name, "histogram", "Duration of requests by route, method and status.", lines);
  }
}

class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    for (const bound of this.#bounds) {
      if (value <= bound) break;
      bucket++;
    }
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  lines(name: string, labels = ""): string[] {
    const withLabels = (extra: string) => `{${[labels, extra].filter(Boolean).join(",")}}`;
    const lines: string[] = [];
    let total = 0;
    this.#counts.forEach((count, bucket) => {
      total += count;
      lines.push(`${name}_bucket${withLabels(`le="${this.#bounds[bucket] ?? "+Inf"}"`)} ${total}`);
    });
    const suffix = labels ? `{${labels}}` : "";
    return [...lines, `${name}_sum${suffix} ${this.#sum}`, `${name}_count${suffix} ${total}`];
  }
}

function family(name: string, type: string, help: string, lines: string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function gauge(name: string, help: string, value: number | undefined): string[] {
  if (value === undefined) return [];
  return family(name, "gauge", help, [`${name} ${value}`]);
}

function counter(name: string, help: string, value: number): string[] {
  return family(name, "counter", help, [`${name} ${value}`]);
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}
