import { systemClock } from "../../domain/clock.ts";
import { DatabaseUnavailable } from "../../domain/database-unavailable.ts";
import type { StoreObserver } from "../../domain/store.ts";
import type { StoreOptions } from "../store-options.ts";
import { isBusy } from "./database.ts";
import { FileCheck } from "./health/file-check.ts";
import { FileHealth } from "./health/file-health.ts";
import { toFileProblem, toUnavailable } from "./health/file-problem.ts";
import { ReaderPool } from "./reader-pool.ts";
import type { ReaderRequest } from "./reader-thread.ts";
import { SnapshotLock } from "./snapshot-lock.ts";
import { Thread } from "./thread.ts";
import type { WriterRequest, WriterResponse, WriterSetup } from "./writer-thread.ts";

export interface StoreThreadOptions extends WriterSetup, Pick<StoreOptions, "maxCandidates"> {
  /** Whether to look for damage in the background. Default: false. */
  readonly check?: boolean;
}

/** The threads of a store: one writer, several readers, and the check of the file. Their errors show the health of the file. */
export class StoreThreads {
  readonly health: FileHealth;
  /** Never held while the writer has requests. */
  readonly snapshotLock: SnapshotLock;
  readonly #writer: Thread<WriterSetup, WriterRequest, WriterResponse>;
  readonly #readers: ReaderPool;
  readonly #check: FileCheck | undefined;

  constructor(options: StoreThreadOptions, observer: StoreObserver) {
    const { path, waitMs, recordRules, maxCandidates, check = false } = options;
    this.#writer = new Thread("writer-thread", { path, waitMs, recordRules });
    this.snapshotLock = new SnapshotLock(path, () => this.#writer.pending > 0);
    this.#readers = new ReaderPool({
      start: () => new Thread("reader-thread", { path, waitMs, maxCandidates }),
      waitMs,
    });
    this.health = new FileHealth({
      path,
      observer,
      probe: () => this.#writer.request({ kind: "probe" }),
    });
    this.#check = check
      ? new FileCheck({
          start: () => new Thread("check-thread", { path, waitMs }),
          onError: (error) => this.health.note(error, false),
        })
      : undefined;
  }

  /** Why the store is not ready; undefined if it is. */
  get problem(): DatabaseUnavailable | undefined {
    const cause = this.#writer.ended;
    return cause ? new DatabaseUnavailable("The writer thread has stopped.", cause) : this.health.problem;
  }

  /** Runs a read on the main thread. */
  onMainThread<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) throw toUnavailable(error);
      throw this.health.note(toFileProblem(error), false);
    }
  }

  /** Runs a read that callers repeat often: many of them hold the lock of one snapshot together. */
  readOnMainThread<T>(work: () => T): T {
    this.snapshotLock.beforeRead();
    return this.onMainThread(work);
  }

  async requestWriter<R extends WriterRequest>(request: R) {
    this.snapshotLock.release();
    try {
      return await this.#writer.request(request);
    } catch (error) {
      throw this.health.note(error, true);
    }
  }

  /** `since` is when the list began that the request belongs to, and `owner` whose list it is. */
  requestReader<R extends ReaderRequest>(request: R, since = systemClock.running(), owner?: string) {
    return this.#readers.request(request, since, owner).catch((error: unknown) => {
      throw this.health.note(error, false);
    });
  }

  /** Finishes pending requests. The writer empties the log at its end: close all other connections first. */
  async close(): Promise<void> {
    await this.#check?.close();
    this.snapshotLock.close();
    await this.#readers.close();
    await this.#writer.end();
  }
}
