/** A user, as known to its caller. */
export interface Entry {
  readonly mark: string;
  id: number;
  /** `creating` and `deleting`: the caller has no response yet. */
  state: "creating" | "created" | "deleting" | "deleted";
}

/** The requests since the last summary. */
export interface Summary {
  readonly requests: number;
  /** Missing or unexpected responses. */
  readonly errors: ReadonlyMap<string, number>;
  /** Operations that failed after all attempts. */
  readonly failures: ReadonlyMap<string, number>;
  readonly slowestMs: number;
}

/** Records the responses of all callers. */
export class Ledger {
  readonly #entries: Entry[] = [];
  #summary = emptySummary();

  add(mark: string): Entry {
    const entry: Entry = { mark, id: 0, state: "creating" };
    this.#entries.push(entry);
    return entry;
  }

  recordResponse(ms: number): void {
    this.#summary.requests++;
    this.#summary.slowestMs = Math.max(this.#summary.slowestMs, ms);
  }

  recordError(what: string): void {
    count(this.#summary.errors, what);
  }

  recordFailure(what: string): void {
    count(this.#summary.failures, what);
  }

  /** Returns the summary and starts a new one. */
  takeSummary(): Summary {
    const summary = this.#summary;
    this.#summary = emptySummary();
    return summary;
  }

  /** Differences between the stored users and the responses to callers. */
  differences(marks: readonly string[]): string[] {
    const found = new Map<string, number>();
    for (const mark of marks) count(found, mark);
    return this.#entries.flatMap(({ mark, state }) => {
      const times = found.get(mark) ?? 0;
      if (times > 1) return [`${mark} exists ${times} times`];
      if (times === 0 && state === "created") return [`${mark} is lost`];
      if (times === 1 && state === "deleted") return [`${mark} exists after its deletion`];
      return [];
    });
  }
}

export function formatSummary({ requests, errors, failures, slowestMs }: Summary): string {
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([what, times]) => `${times} × ${what}`).join(", ") || "none";
  return `${requests} requests, slowest ${Math.round(slowestMs)} ms; errors: ${list(errors)}; failed: ${list(failures)}`;
}

function emptySummary() {
  return {
    requests: 0,
    errors: new Map<string, number>(),
    failures: new Map<string, number>(),
    slowestMs: 0,
  };
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
