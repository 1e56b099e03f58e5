import type { FollowedEvent } from "../../../test/support/consistency/check-events.ts";
import { findEventErrors } from "../../../test/support/consistency/check-events.ts";
import {
  type Follower,
  followStream,
  followWithClient,
  readFeed,
} from "../../../test/support/consistency/event-followers.ts";
import { listAllUsers } from "../../../test/support/consistency/list-checks.ts";
import { outcomeOf } from "../../../test/support/consistency/operation.ts";
import { findPostgresCorruption } from "../../../test/support/consistency/postgres-corruption.ts";
import { Workload } from "../../../test/support/consistency/workload.ts";
import type { Roster } from "../../../test/support/process/roster.ts";
import { until } from "../../../test/support/until.ts";
import { type Receiver, startReceiver } from "../../../test/webhooks/support/receiver.ts";
import { countWrites, type WriteCounts } from "./count-writes.ts";
import { PatientCaller } from "./patient-caller.ts";
import { Reader } from "./reader.ts";

/** Few enough that the servers, the nodes and the callers share two cores, and etcd gets its turn. */
const CLIENTS = 16;
const PAUSE_MS = 40;
/** Longer than any fault. */
const RETRY_LIMIT_MS = 180_000;
/** A pause between two successful requests that callers notice. */
const NOTICED_MS = 500;
const LAST = "last";
/** A follower that needs longer for the rest of the feed misses it. */
const LATE_MS = 60_000;

/** A time, in milliseconds of `performance.now()`. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** What is wrong at the end. */
export interface Findings {
  readonly feed: readonly FollowedEvent[];
  readonly missedEvents: number;
  readonly missedDeliveries: number;
  /** Creates with the client library, and those that failed after all retries. */
  readonly clientCreates: number;
  readonly clientFailures: number;
  readonly errors: readonly string[];
}

/** Callers of two nodes, followers of events, and a receiver of webhooks. */
export class Load {
  readonly #nodes: readonly Roster[];
  readonly #workload: Workload;
  readonly #followers: readonly Follower[];
  readonly #receiver: Receiver;
  readonly #readers: readonly Reader[];
  readonly #patient: readonly PatientCaller[];
  readonly #errors: string[] = [];

  private constructor(nodes: readonly Roster[], workload: Workload, receiver: Receiver) {
    this.#nodes = nodes;
    this.#workload = workload;
    this.#receiver = receiver;
    this.#readers = nodes.map((node) => new Reader(node));
    this.#patient = nodes.map(({ url }) => new PatientCaller(url));
    const isLast = ({ requestId }: FollowedEvent) => requestId === LAST;
    this.#followers = nodes.flatMap(({ url }) => [followWithClient(url, isLast), followStream(url, isLast)]);
    for (const { done } of this.#followers)
      done.catch((error) => this.#errors.push(`a follower ended: ${error}`));
  }

  static async prepare(nodes: readonly Roster[]): Promise<Load> {
    const receiver = startReceiver();
    const json = { url: receiver.url, types: ["user.*"] };
    const created = await nodes[0]?.call("/api/webhooks", { method: "POST", json });
    if (created?.status !== 201) throw new Error(`The webhook was not created: ${await created?.text()}`);
    const ports = nodes.map(({ port }) => port);
    const workload = new Workload({
      ports: () => ports,
      clients: CLIENTS,
      pauseMs: PAUSE_MS,
      retryLimitMs: RETRY_LIMIT_MS,
    });
    await workload.prepare();
    return new Load(nodes, workload, receiver);
  }

  start(): void {
    this.#workload.start();
  }

  stop(): Promise<void> {
    return this.#workload.stop();
  }

  untilWritten(count: number): Promise<unknown> {
    return until(this.#workload.moreWrites(count), () => `${count} more writes`);
  }

  /** Seconds of pauses that callers notice, between reads or writes that succeeded. */
  secondsWithout(kind: "reads" | "writes", window: Window): number {
    const times = this.#successTimes(kind);
    let total = 0;
    for (const [index, time] of times.entries()) {
      const before = times[index - 1] ?? time;
      if (time < window.from || before > window.to) continue;
      if (time - before > NOTICED_MS) total += time - Math.max(before, window.from);
    }
    return total / 1000;
  }

  /** Seconds from a time to the first write that was acknowledged after it. */
  secondsToWrite(time: number): number {
    const first = this.#successTimes("writes").find((completed) => completed > time);
    return first === undefined ? Number.NaN : (first - time) / 1000;
  }

  countWrites(feed: readonly FollowedEvent[], window: Window): WriteCounts {
    return countWrites(this.#workload.history.operations, feed, window);
  }

  get requests(): number {
    return this.#workload.history.operations.length;
  }

  /** Waits for followers and deliveries, and checks everything. `databaseUrl` is that of the primary. */
  async check(databaseUrl: string): Promise<Findings> {
    const [node] = this.#nodes;
    if (!node) throw new Error("There is no node.");
    for (const caller of this.#patient) await caller.stop();
    const headers = { "x-request-id": LAST, "idempotency-key": LAST };
    const json = { name: "Last" };
    await until(
      async () => (await node.call("/api/users", { method: "POST", json, headers })).status === 201,
    );
    const all = Promise.allSettled(this.#followers.map(({ done }) => done));
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, LATE_MS, true).unref());
    const isLate = await Promise.race([all.then(() => false), late]);
    const feed = await readFeed(node);
    const { users } = await listAllUsers(node);
    const followers = this.#followers.map(({ seen }) => seen);
    const missingDeliveries = () => {
      const delivered = new Set(this.#receiver.received.map(({ body }) => String(JSON.parse(body).data.id)));
      return feed.filter(({ id, type }) => type.startsWith("user.") && !delivered.has(id)).length;
    };
    await until(() => missingDeliveries() === 0).catch(() => undefined);
    const eventErrors = findEventErrors({ feed, followers, writes: [], users });
    const anomalies = await this.#workload.findErrors(this.#nodes, (count) =>
      findPostgresCorruption(databaseUrl, count),
    );
    await this.#receiver.stop();
    for (const reader of this.#readers) await reader.stop();
    return {
      feed,
      missedEvents: eventErrors.filter((error) => error.includes("missed")).length,
      missedDeliveries: missingDeliveries(),
      clientCreates: sum(this.#patient.map(({ creates }) => creates)),
      clientFailures: sum(this.#patient.map(({ failures }) => failures)),
      errors: [
        ...(isLate ? ["a follower did not reach the end of the feed"] : []),
        ...this.#errors,
        ...eventErrors,
        ...anomalies,
      ],
    };
  }

  #successTimes(kind: "reads" | "writes"): number[] {
    const times =
      kind === "reads"
        ? this.#readers.flatMap(({ times }) => times)
        : this.#workload.history.operations
            .filter((operation) => operation.request.method !== "GET" && outcomeOf(operation) === "done")
            .map(({ completed }) => completed);
    return times.toSorted((a, b) => a - b);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
