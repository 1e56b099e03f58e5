import type { Origin } from "../caller.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { ImportDryRun, ImportTarget, Row } from "../import-row.ts";
import type { Meter } from "../meter.ts";
import type { Semaphore } from "../scheduling/semaphore.ts";
import { type ImportContext, importRows, type RowOutcome } from "./imports.ts";

/** The rows of an import, and whose they are. */
export interface ImportRequest {
  readonly by: Origin;
  readonly rows: AsyncIterable<readonly Row[]>;
  /** The idempotency key. A dry run ignores it. */
  readonly key: string | undefined;
  readonly meter: Meter | undefined;
}

/** Where rows of one kind are imported. */
export interface ImportStore<Options, Result> extends ImportTarget<Options, Result> {
  startDryRun(): ImportDryRun<Options, Result>;
}

/** How rows of one kind are imported. */
export interface ImportWork<Options, Result>
  extends Pick<ImportContext<Options, Result>, "variant" | "chunkLines" | "countWritten"> {
  readonly store: ImportStore<Options, Result>;
  readonly options: Options;
  /** Yields the outcomes that the import would have now. */
  readonly dryRun: boolean;
}

/** Runs the imports of this node. They share a limit of chunks in the store. */
export class ImportRunner {
  readonly #running: RunningKeys;
  readonly #chunkSlots: Semaphore;

  constructor(running: RunningKeys, chunkSlots: Semaphore) {
    this.#running = running;
    this.#chunkSlots = chunkSlots;
  }

  /** Imports the rows in chunks. With an idempotency key, each chunk runs once. A key runs one import at a time. */
  async *run<Options, Result>(
    { by, rows, key, meter }: ImportRequest,
    { store, dryRun, ...work }: ImportWork<Options, Result>,
  ): AsyncGenerator<RowOutcome<Result>[], void> {
    const chunkSlots = this.#chunkSlots;
    if (dryRun) {
      using target = store.startDryRun();
      yield* importRows(rows, { ...work, by, target, chunkSlots, meter });
    } else {
      using _running = key === undefined ? undefined : this.#running.reserve(by, key);
      yield* importRows(rows, { ...work, by, target: store, key, chunkSlots, meter });
    }
  }
}
