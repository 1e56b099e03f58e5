import { ApiError, type ImportedLine } from "../../client/index.ts";
import { promptIfSignedOut, randomId, roster } from "../lib/api.ts";
import { Observable } from "../lib/observable.ts";
import { confirmBeforeUnload } from "../lib/unsaved-changes.ts";
import { formatPercent } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { showToast } from "../ui/toasts.tsx";
import { Failures, toRowErrors, withValues } from "./failures.ts";
import { FileError } from "./file-text.ts";
import { kinds } from "./import-kinds.ts";
import type { ImportPlan } from "./import-plan.ts";
import { importRows } from "./import-rows.ts";
import { importStatus } from "./import-status.ts";
import type { FailedRow } from "./source.ts";
import { forgetUnfinished, rememberUnfinished } from "./unfinished-import.ts";
import { splitIntoChunks, type UploadChunk } from "./upload-chunks.ts";

// Preload the module that the client imports on demand: a browser never retries a failed dynamic import.
void import("../../client/bulk.ts").catch(() => undefined);

/** `paused`, `failed` and `stopped` can be resumed. `broken` means that the file can't be read further. */
type Phase = "running" | "pausing" | "stopping" | "paused" | "failed" | "stopped" | "broken" | "done";

export interface ImportProgress {
  readonly phase: Phase;
  /** Bytes of the file that are imported. */
  readonly bytes: number;
  /** The last row that is imported or failed. */
  readonly row: number;
  readonly created: number;
  /** Rows whose user or group existed, and was updated or skipped, and memberships that existed or were removed. */
  readonly existing: number;
  /** Running time without pauses. */
  readonly ms: number;
  readonly error?: unknown;
  /** First and last row of the chunk whose response was lost. */
  readonly unconfirmedRows?: readonly [from: number, to: number] | undefined;
}

/** After Stop, how long to wait for the current request before aborting it. */
const STOP_MS = 10_000;

/**
 * Imports a file chunk by chunk. A chunk whose response was lost is sent again with the same idempotency key, so nothing
 * is created twice.
 */
export class ImportRun {
  readonly plan: ImportPlan;
  readonly failures = new Failures();
  readonly progress = new Observable<ImportProgress>({
    phase: "paused",
    bytes: 0,
    row: 0,
    created: 0,
    existing: 0,
    ms: 0,
  });
  readonly #id: string;
  readonly #startedAt: number;
  readonly #chunks: AsyncGenerator<UploadChunk, void>;
  #chunk: UploadChunk | undefined;
  #stopper = new AbortController();
  #since = 0;
  /** Lets the browser leave the page without asking. */
  #release: (() => void) | undefined;

  /**
   * Without `earlier`, this is a new import. With it, the import repeats the requests that an earlier page sent, and gets the results
   * that the service has stored.
   */
  constructor(plan: ImportPlan, earlier?: { readonly id: string; readonly startedAt: number }) {
    this.plan = plan;
    this.#id = earlier?.id ?? randomId();
    this.#startedAt = earlier?.startedAt ?? Date.now();
    this.#chunks = splitIntoChunks(plan.source, plan.targets);
    this.resume();
  }

  resume(): void {
    if (isRunning(this.progress.get())) return;
    this.#stopper = new AbortController();
    this.#since = performance.now();
    this.#update({ phase: "running", error: undefined, unconfirmedRows: undefined });
    this.#release ??= confirmBeforeUnload();
    this.#remember();
    void this.#run();
  }

  /** Pauses after the current chunk. */
  pause(): void {
    if (this.progress.get().phase === "running") this.#update({ phase: "pausing" });
  }

  stop(): void {
    if (!isRunning(this.progress.get())) {
      this.#end("stopped");
      return;
    }
    this.#update({ phase: "stopping" });
    const { signal } = this.#stopper;
    const timer = setTimeout(() => this.#stopper.abort(), STOP_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
  }

  async #run(): Promise<void> {
    try {
      while (this.progress.get().phase === "running") {
        this.#chunk ??= (await this.#chunks.next()).value ?? undefined;
        if (!this.#chunk) return this.#end("done");
        await this.#send(this.#chunk);
        this.#chunk = undefined;
      }
      this.#end(this.progress.get().phase === "stopping" ? "stopped" : "paused");
    } catch (error) {
      promptIfSignedOut(error);
      // A problem for the whole request means that no row was created. After other errors, the outcome is unknown.
      const unconfirmedRows = error instanceof ApiError ? undefined : rowRange(this.#chunk);
      if (error instanceof FileError) this.#end("broken", { error });
      else if (this.progress.get().phase === "stopping") this.#end("stopped", { unconfirmedRows });
      else this.#end("failed", { error, unconfirmedRows });
    }
  }

  async #send(chunk: UploadChunk): Promise<void> {
    const { source, targets, kind } = this.plan;
    const { format } = source;
    const outcomes: ImportedLine[] = [];
    if (chunk.sent.length > 0) {
      const idempotencyKey = `${this.#id}-${chunk.number}`;
      const { signal } = this.#stopper;
      const body = source.write(chunk.sent, targets, true, kind);
      for await (const outcome of importRows(roster, this.plan, body, { format, idempotencyKey, signal })) {
        outcomes.push(outcome);
      }
    }
    if (outcomes.length < chunk.sent.length) throw new Error("The response has fewer outcomes than rows.");
    this.#count(chunk, outcomes);
  }

  #count(chunk: UploadChunk, outcomes: readonly ImportedLine[]): void {
    const { source, targets } = this.plan;
    const rejected = chunk.sent.flatMap((row, index): FailedRow[] => {
      const problem = outcomes[index]?.problem;
      return problem
        ? [{ row, errors: withValues(toRowErrors(problem), source.toRecord(row, targets)) }]
        : [];
    });
    const failed = [...chunk.failed, ...rejected].sort((a, b) => a.row.number - b.row.number);
    for (const row of failed) this.failures.add(row);
    const { created, existing } = this.progress.get();
    const newlyCreated = outcomes.filter(({ status }) => status === 201).length;
    this.#update({
      bytes: chunk.bytes,
      row: Math.max(chunk.sent.at(-1)?.number ?? 0, chunk.failed.at(-1)?.row.number ?? 0),
      created: created + newlyCreated,
      existing: existing + chunk.sent.length - rejected.length - newlyCreated,
    });
    this.#remember();
  }

  /** So that another page can continue this import, if this one is closed. */
  #remember(): void {
    const { created, existing } = this.progress.get();
    const rows = created + existing + this.failures.count;
    rememberUnfinished(this.plan, { id: this.#id, startedAt: this.#startedAt, rows });
  }

  #end(phase: Phase, more: Partial<ImportProgress> = {}): void {
    const finished = isFinished(phase);
    if (finished) {
      this.#release?.();
      this.#release = undefined;
      forgetUnfinished();
      void kinds[this.plan.kind].reload().catch(() => undefined);
    }
    this.#stopper.abort();
    this.#update({ phase, ...(phase === "done" && { bytes: this.plan.source.size }), ...more });
    // A toast tells people who are in another view.
    if (this.progress.hasListeners || phase === "paused") return;
    if (finished) {
      showToast({
        title: texts.outcome.title[outcomeOf(phase)],
        text: texts.outcome.text(this.progress.get(), this.failures.count, this.plan),
      });
    } else showToast({ title: texts.run.title.failed, text: texts.run.safe, kind: "failed", ms: 0 });
  }

  #update(part: Partial<ImportProgress>): void {
    const now = performance.now();
    const before = this.progress.get();
    const ms = before.ms + (isRunning(before) ? now - this.#since : 0);
    this.#since = now;
    const progress = { ...before, ms, ...part };
    this.progress.set(progress);
    importStatus.set(this.#status(progress));
  }

  #status(progress: ImportProgress): string | undefined {
    const { phase, bytes } = progress;
    if (isFinished(phase)) return undefined;
    if (isRunning(progress)) return formatPercent(bytes / this.plan.source.size);
    return phase === "failed" ? texts.run.title.failed : texts.run.title.paused;
  }
}

export function isRunning({ phase }: ImportProgress): boolean {
  return phase === "running" || phase === "pausing" || phase === "stopping";
}

/** Whether the result is shown. A stopped import can still be resumed. */
export function isFinished(phase: Phase): boolean {
  return phase === "done" || phase === "stopped" || phase === "broken";
}

/** The kind of result for a finished import. */
export function outcomeOf(phase: Phase): "done" | "broken" | "stopped" {
  return phase === "done" || phase === "broken" ? phase : "stopped";
}

function rowRange(chunk: UploadChunk | undefined): readonly [number, number] | undefined {
  const [first, last] = [chunk?.sent[0], chunk?.sent.at(-1)];
  return first && last && [first.number, last.number];
}
