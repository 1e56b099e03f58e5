import { createClient } from "../../client/index.ts";
import { sessionFetch } from "../../pages/script/session-fetch.ts";
import { promptIfSignedOut } from "../lib/api.ts";
import { Observable } from "../lib/observable.ts";
import { sendWithProgress } from "../lib/send-with-progress.ts";
import { formatPercent } from "../texts/format.ts";
import { Failures, toRowErrors, withValues } from "./failures.ts";
import { FileError } from "./file-text.ts";
import type { ImportPlan } from "./import-plan.ts";
import { importRows } from "./import-rows.ts";
import { importStatus } from "./import-status.ts";
import type { Row, RowError } from "./source.ts";
import { splitIntoChunks } from "./upload-chunks.ts";

interface CheckProgress {
  readonly phase: "running" | "failed" | "done";
  /** The share of the work that is done, from 0 to 1. */
  readonly share: number;
  readonly error?: unknown;
  readonly result?: CheckResult;
}

/** A row that can't be imported. Without `row`, its cells were not kept. */
interface Rejected {
  readonly number: number;
  readonly row?: Row;
  readonly errors: readonly RowError[];
}

/** What the import would do with the rows that were checked. */
export class CheckResult {
  readonly failures = new Failures();
  created = 0;
  /** Rows whose user or group exists, and is updated or skipped, and memberships that exist or are removed. */
  existing = 0;
  /** Those of them whose user or group is also that of an earlier row. */
  readonly repeated: number[] = [];

  /** How many rows the import would accept. */
  get importable(): number {
    return this.created + this.existing;
  }

  get rows(): number {
    return this.importable + this.failures.count;
  }
}

/** Where the work of each part begins: to read the file, to send it, and to find the rows that failed. */
const SEND_FROM = 0.4;
const FIND_FROM = 0.9;
/** A larger file is tried with its first chunk: if most rows fail, the person need not wait for the others. */
export const TRIAL_ABOVE_ROWS = 50_000;

/**
 * Sends the whole file to the service as a dry run, which changes nothing: in one request, so that the service also finds conflicts
 * between rows.
 */
export class ImportCheck {
  readonly plan: ImportPlan;
  readonly progress = new Observable<CheckProgress>({ phase: "running", share: 0 });
  readonly #stopper = new AbortController();

  /** `withTrial`: a large file of which most of the first rows fail is not checked further. */
  constructor(plan: ImportPlan, { withTrial }: { readonly withTrial: boolean }) {
    this.plan = plan;
    void this.#run(withTrial && plan.source.rowCount > TRIAL_ABOVE_ROWS);
  }

  stop(): void {
    this.#stopper.abort();
  }

  async #run(withTrial: boolean): Promise<void> {
    try {
      const trial = withTrial ? await this.#check(1) : undefined;
      const isHopeless = trial !== undefined && trial.failures.count > trial.importable;
      const result = isHopeless ? trial : await this.#check(Number.POSITIVE_INFINITY);
      this.#set({ phase: "done", share: 1, result });
    } catch (error) {
      if (this.#stopper.signal.aborted) return;
      promptIfSignedOut(error);
      this.#set({ phase: "failed", share: this.progress.get().share, error });
    }
  }

  /** Checks so many chunks of the file. */
  async #check(maxChunks: number): Promise<CheckResult> {
    const result = new CheckResult();
    const { body, numbers, rejected } = await this.#read(result, maxChunks);
    if (numbers.length > 0) rejected.push(...(await this.#send(result, body, numbers)));
    await this.#explain(
      result,
      rejected.sort((a, b) => a.number - b.number),
    );
    return result;
  }

  /** Writes the request body, and finds the rows that can't be sent. */
  async #read({ failures }: CheckResult, maxChunks: number) {
    const { source, targets, kind } = this.plan;
    const parts: Blob[] = [];
    const numbers: number[] = [];
    const rejected: Rejected[] = [];
    for await (const { number, sent, failed, bytes } of splitIntoChunks(source, targets)) {
      this.#stopper.signal.throwIfAborted();
      // A browser can keep a Blob outside of its memory.
      if (sent.length > 0) {
        const isFirst = parts.length === 0;
        parts.push(new Blob([source.write(sent, targets, isFirst, kind), "\n"]));
      }
      for (const row of sent) numbers.push(row.number);
      for (const { row, errors } of failed) {
        if (rejected.length >= Failures.maxRows) failures.countOnly(row.number, errors);
        else rejected.push(structuredClone({ number: row.number, row, errors }));
      }
      this.#report((SEND_FROM * bytes) / source.size);
      if (number + 1 === maxChunks) break;
    }
    return { body: new Blob(parts), numbers, rejected };
  }

  /** Sends the rows, and returns those that the service rejects. */
  async #send(result: CheckResult, body: Blob, numbers: readonly number[]): Promise<Rejected[]> {
    const { source, kind } = this.plan;
    const send = sendWithProgress((share) => this.#report(SEND_FROM + (FIND_FROM - SEND_FROM) * share));
    const client = createClient({
      retries: 2,
      onRetry: () => undefined,
      fetch: (request) => sessionFetch(request, undefined, send),
    });
    const rejected: Rejected[] = [];
    const updated = new Set<number>();
    let index = 0;
    let lastType: string | undefined;
    const { signal } = this.#stopper;
    const options = { format: source.format, dryRun: true, signal };
    for await (const { status, id, problem } of importRows(client, this.plan, body, options)) {
      const number = numbers[index++] ?? 0;
      lastType = problem?.type;
      if (!problem) {
        if (status === 201) result.created++;
        else {
          result.existing++;
          // A user who does not exist yet has no id. Nor has a membership.
          if (kind === "memberships") continue;
          if (id === undefined || updated.has(id)) result.repeated.push(number);
          else updated.add(id);
        }
      } else if (rejected.length < Failures.maxRows) rejected.push({ number, errors: toRowErrors(problem) });
      else result.failures.countOnly(number, toRowErrors(problem));
    }
    if (index < numbers.length) {
      if (lastType?.endsWith("/too-large")) throw new FileError("large", numbers[index]);
      throw new Error("The response has fewer results than rows.");
    }
    return rejected;
  }

  /** Reads the cells of the rejected rows from the file again. */
  async #explain({ failures }: CheckResult, rejected: readonly Rejected[]): Promise<void> {
    const { source, targets } = this.plan;
    const wanted = new Set(rejected.flatMap(({ number, row }) => (row ? [] : [number])));
    const found = new Map<number, Row>();
    if (wanted.size > 0) {
      for await (const { rows, bytes } of source.read()) {
        this.#stopper.signal.throwIfAborted();
        for (const row of rows) if (wanted.has(row.number)) found.set(row.number, structuredClone(row));
        if (found.size === wanted.size) break;
        this.#report(FIND_FROM + ((1 - FIND_FROM) * bytes) / source.size);
      }
    }
    for (const { number, errors, row = found.get(number) } of rejected) {
      if (row) failures.add({ row, errors: withValues(errors, source.toRecord(row, targets)) });
      else failures.countOnly(number, errors);
    }
  }

  #report(share: number): void {
    this.#set({ phase: "running", share });
  }

  #set(progress: CheckProgress): void {
    if (this.#stopper.signal.aborted) return;
    this.progress.set(progress);
    importStatus.set(progress.phase === "running" ? formatPercent(progress.share) : undefined);
  }
}
