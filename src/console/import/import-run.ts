import { ApiError, type ImportedLine } from "../../client/index.ts";
import { noticeEnd, randomName, roster } from "../lib/api.ts";
import { Store, useStore } from "../lib/observable.ts";
import { holdPage } from "../lib/unsaved-changes.ts";
import { importing as texts } from "../texts/index.ts";
import { tell } from "../ui/toasts.tsx";
import { reloadUsers } from "../users/queries.ts";
import { FileFault } from "./file-text.ts";
import type { Target } from "./mapping.ts";
import type { FailedRow, Source } from "./source.ts";
import { type Part, partsOf, toFailed } from "./upload-chunks.ts";

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
  readonly refused: number;
  /** How long it has been at work, pauses left out. */
  readonly ms: number;
  readonly error?: unknown;
  /** The rows whose answer was lost: the first and the last. */
  readonly doubt?: readonly [from: number, to: number] | undefined;
}

/** Of the rows that failed, so many are kept for the download, if they are not large. */
const KEPT_ROWS = 10_000;
const KEPT_CHARACTERS = 16_777_216;
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
  readonly #name = randomName();
  readonly #parts: AsyncGenerator<Part, void>;
  readonly progress = new Store<ImportProgress>({
    phase: "paused",
    bytes: 0,
    row: 0,
    created: 0,
    refused: 0,
    ms: 0,
  });
  #part: Part | undefined;
  #keptCharacters = 0;
  #stopper = new AbortController();
  #since = 0;
  /** Lets the browser leave the page. */
  #letGo: (() => void) | undefined;

  constructor(source: Source, targets: readonly Target[]) {
    this.source = source;
    this.targets = targets;
    this.#parts = partsOf(source, targets);
    this.resume();
  }

  resume(): void {
    if (isAtWork(this.progress.get())) return;
    this.#stopper = new AbortController();
    this.#since = performance.now();
    this.#change({ phase: "running", error: undefined, doubt: undefined });
    this.#letGo ??= holdPage();
    void this.#work();
  }

  /** What is under way is finished first. */
  pause(): void {
    if (this.progress.get().phase === "running") this.#change({ phase: "pausing" });
  }

  stop(): void {
    if (!isAtWork(this.progress.get())) {
      this.#end("stopped");
      return;
    }
    this.#change({ phase: "stopping" });
    const { signal } = this.#stopper;
    const timer = setTimeout(() => this.#stopper.abort(), STOP_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
  }

  async #work(): Promise<void> {
    try {
      while (this.progress.get().phase === "running") {
        this.#part ??= (await this.#parts.next()).value ?? undefined;
        if (!this.#part) return this.#end("done");
        await this.#send(this.#part);
        this.#part = undefined;
      }
      this.#end(this.progress.get().phase === "stopping" ? "stopped" : "paused");
    } catch (error) {
      noticeEnd(error);
      // What the service refuses as a whole it has not done; anything else, nobody knows.
      const doubt = error instanceof ApiError ? undefined : rangeOf(this.#part);
      if (error instanceof FileFault) this.#end("broken", { error });
      else if (this.progress.get().phase === "stopping") this.#end("stopped", { doubt });
      else this.#end("failed", { error, doubt });
    }
  }

  async #send(part: Part): Promise<void> {
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

  #count(part: Part, outcomes: readonly ImportedLine[]): void {
    const refused = part.sent.flatMap((row, index) => {
      const outcome = outcomes[index];
      return outcome?.problem ? [toFailed(this.source, this.targets, row, outcome)] : [];
    });
    const failed = [...part.failed, ...refused].sort((a, b) => a.row.number - b.row.number);
    for (const each of failed) this.#keep(each);
    const { created, refused: before } = this.progress.get();
    this.#change({
      bytes: part.bytes,
      row: Math.max(part.sent.at(-1)?.number ?? 0, part.failed.at(-1)?.row.number ?? 0),
      created: created + part.sent.length - refused.length,
      refused: before + failed.length,
    });
  }

  #keep(failed: FailedRow): void {
    if (this.failed.length >= KEPT_ROWS || this.#keptCharacters >= KEPT_CHARACTERS) return;
    for (const cell of failed.row.cells) this.#keptCharacters += cell.length;
    // A copy: what was cut out of the file's text would keep that text in memory.
    this.failed.push(structuredClone(failed));
  }

  #end(phase: Phase, more: Partial<ImportProgress> = {}): void {
    const isOver = isOverIn(phase);
    if (isOver) {
      this.#letGo?.();
      this.#letGo = undefined;
      void reloadUsers().catch(() => undefined);
    }
    this.#stopper.abort();
    this.#change({ phase, ...(phase === "done" && { bytes: this.source.size }), ...more });
    // Somebody who looks at another view hears of it.
    if (this.progress.isFollowed || phase === "paused") return;
    const { created, refused } = this.progress.get();
    if (isOver) tell({ title: texts.outcome.finished, text: texts.outcome.text(created, refused) });
    else tell({ title: texts.run.title.failed, text: texts.run.safe, kind: "failed", ms: 0 });
  }

  #change(part: Partial<ImportProgress>): void {
    const now = performance.now();
    const before = this.progress.get();
    const ms = before.ms + (isAtWork(before) ? now - this.#since : 0);
    this.#since = now;
    this.progress.set({ ...before, ms, ...part });
  }
}

export function isAtWork({ phase }: ImportProgress): boolean {
  return phase === "running" || phase === "pausing" || phase === "stopping";
}

/** Whether nothing more comes, unless somebody goes on with it. */
export function isOverIn(phase: Phase): boolean {
  return phase === "done" || phase === "stopped" || phase === "broken";
}

// The run outlives the view: whoever looks at the users meanwhile finds it again.

const current = new Store<ImportRun | undefined>(undefined);

export function useRun(): ImportRun | undefined {
  return useStore(current);
}

/** Unless there is one already, such as when a button is pressed twice. */
export function beginRun(source: Source, targets: readonly Target[]): void {
  if (!current.get()) current.set(new ImportRun(source, targets));
}

export function forgetRun(): void {
  current.set(undefined);
}

function rangeOf(part: Part | undefined): readonly [number, number] | undefined {
  const [first, last] = [part?.sent[0], part?.sent.at(-1)];
  return first && last && [first.number, last.number];
}
