import { ApiError, type ImportedLine } from "../../client/index.ts";
import { promptIfSignedOut, randomId, roster } from "../lib/api.ts";
import { Observable, useObservable } from "../lib/observable.ts";
import { confirmBeforeUnload } from "../lib/unsaved-changes.ts";
import { importing as texts } from "../texts/index.ts";
import { showToast } from "../ui/toasts.tsx";
import { reloadUsers } from "../users/queries.ts";
import { FileError } from "./file-text.ts";
import type { Target } from "./mapping.ts";
import type { FailedRow, Source } from "./source.ts";
import { splitIntoChunks, toFailedRow, type UploadChunk } from "./upload-chunks.ts";

// The client fetches this with the first import. If it could not then, a browser would not try again.
void import("../../client/bulk.ts").catch(() => undefined);

/** From `paused`, `failed` and `stopped` it can go on; `broken` is the file itself. */
type Phase = "running" | "pausing" | "stopping" | "paused" | "failed" | "stopped" | "broken" | "done";

export interface ImportProgress {
  readonly phase: Phase;
  /** How far the file has been imported. */
  readonly bytes: number;
  /** The last row that has been dealt with. */
  readonly row: number;
  readonly created: number;
  readonly failedCount: number;
  /** How long it has been at work, pauses left out. */
  readonly ms: number;
  readonly error?: unknown;
  /** The rows whose answer was lost: the first and the last. */
  readonly unconfirmedRows?: readonly [from: number, to: number] | undefined;
}

/** Of the rows that failed, so many are kept for the download, if they are not large. */
const MAX_FAILED_ROWS = 10_000;
const MAX_FAILED_CHARACTERS = 16_777_216;
/** How long a part may take that is under way when somebody wants to stop. */
const STOP_MS = 10_000;

/**
 * A file on its way to the service, part after part. A part whose answer was lost is repeated under the name that it had,
 * so that nobody is created twice.
 */
export class ImportRun {
  readonly source: Source;
  readonly targets: readonly Target[];
  /** The rows that failed, as many as are kept. */
  readonly failed: FailedRow[] = [];
  readonly #name = randomId();
  readonly #chunks: AsyncGenerator<UploadChunk, void>;
  readonly progress = new Observable<ImportProgress>({
    phase: "paused",
    bytes: 0,
    row: 0,
    created: 0,
    failedCount: 0,
    ms: 0,
  });
  #chunk: UploadChunk | undefined;
  #keptCharacters = 0;
  #stopper = new AbortController();
  #since = 0;
  /** Lets the browser leave the page. */
  #release: (() => void) | undefined;

  constructor(source: Source, targets: readonly Target[]) {
    this.source = source;
    this.targets = targets;
    this.#chunks = splitIntoChunks(source, targets);
    this.resume();
  }

  resume(): void {
    if (isRunning(this.progress.get())) return;
    this.#stopper = new AbortController();
    this.#since = performance.now();
    this.#update({ phase: "running", error: undefined, unconfirmedRows: undefined });
    this.#release ??= confirmBeforeUnload();
    void this.#run();
  }

  /** What is under way is finished first. */
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
      // What the service refuses as a whole it has not done; anything else, nobody knows.
      const unconfirmedRows = error instanceof ApiError ? undefined : rowRange(this.#chunk);
      if (error instanceof FileError) this.#end("broken", { error });
      else if (this.progress.get().phase === "stopping") this.#end("stopped", { unconfirmedRows });
      else this.#end("failed", { error, unconfirmedRows });
    }
  }

  async #send(part: UploadChunk): Promise<void> {
    const { format } = this.source;
    const outcomes: ImportedLine[] = [];
    if (part.sent.length > 0) {
      const idempotencyKey = `${this.#name}-${part.number}`;
      const { signal } = this.#stopper;
      for await (const outcome of roster.users.import(part.text, { format, idempotencyKey, signal })) {
        outcomes.push(outcome);
      }
    }
    if (outcomes.length < part.sent.length) throw new Error("The answer ended before all rows had theirs.");
    this.#count(part, outcomes);
  }

  #count(part: UploadChunk, outcomes: readonly ImportedLine[]): void {
    const refused = part.sent.flatMap((row, index) => {
      const outcome = outcomes[index];
      return outcome?.problem ? [toFailedRow(this.source, this.targets, row, outcome)] : [];
    });
    const failed = [...part.failed, ...refused].sort((a, b) => a.row.number - b.row.number);
    for (const each of failed) this.#keepFailed(each);
    const { created, failedCount: before } = this.progress.get();
    this.#update({
      bytes: part.bytes,
      row: Math.max(part.sent.at(-1)?.number ?? 0, part.failed.at(-1)?.row.number ?? 0),
      created: created + part.sent.length - refused.length,
      failedCount: before + failed.length,
    });
  }

  #keepFailed(failed: FailedRow): void {
    if (this.failed.length >= MAX_FAILED_ROWS || this.#keptCharacters >= MAX_FAILED_CHARACTERS) return;
    for (const cell of failed.row.cells) this.#keptCharacters += cell.length;
    // A copy: what was cut out of the file's text would keep that text in memory.
    this.failed.push(structuredClone(failed));
  }

  #end(phase: Phase, more: Partial<ImportProgress> = {}): void {
    const isOver = isFinished(phase);
    if (isOver) {
      this.#release?.();
      this.#release = undefined;
      void reloadUsers().catch(() => undefined);
    }
    this.#stopper.abort();
    this.#update({ phase, ...(phase === "done" && { bytes: this.source.size }), ...more });
    // Somebody who looks at another view hears of it.
    if (this.progress.hasListeners || phase === "paused") return;
    const { created, failedCount: refused } = this.progress.get();
    if (isOver) showToast({ title: texts.outcome.finished, text: texts.outcome.text(created, refused) });
    else showToast({ title: texts.run.title.failed, text: texts.run.safe, kind: "failed", ms: 0 });
  }

  #update(part: Partial<ImportProgress>): void {
    const now = performance.now();
    const before = this.progress.get();
    const ms = before.ms + (isRunning(before) ? now - this.#since : 0);
    this.#since = now;
    this.progress.set({ ...before, ms, ...part });
  }
}

export function isRunning({ phase }: ImportProgress): boolean {
  return phase === "running" || phase === "pausing" || phase === "stopping";
}

/** Whether nothing more comes, unless somebody goes on with it. */
export function isFinished(phase: Phase): boolean {
  return phase === "done" || phase === "stopped" || phase === "broken";
}

// The run outlives the view: whoever looks at the users meanwhile finds it again.

const current = new Observable<ImportRun | undefined>(undefined);

export function useImportRun(): ImportRun | undefined {
  return useObservable(current);
}

/** Unless there is one already, such as when a button is pressed twice. */
export function startImport(source: Source, targets: readonly Target[]): void {
  if (!current.get()) current.set(new ImportRun(source, targets));
}

export function clearImport(): void {
  current.set(undefined);
}

function rowRange(part: UploadChunk | undefined): readonly [number, number] | undefined {
  const [first, last] = [part?.sent[0], part?.sent.at(-1)];
  return first && last && [first.number, last.number];
}
