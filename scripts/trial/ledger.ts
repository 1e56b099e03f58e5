/** A user as its caller knows it. */
export interface Entry {
  readonly mark: string;
  id: number;
  /** What its caller was told last: nothing yet, that it is there, nothing of its removal, that it is gone. */
  state: "sent" | "there" | "leaving" | "gone";
}

/** What callers have seen for a while. */
export interface Summary {
  readonly requests: number;
  /** Answers that were none, or not what was asked for. */
  readonly troubles: ReadonlyMap<string, number>;
  /** What was not done after all tries. */
  readonly failures: ReadonlyMap<string, number>;
  readonly slowestMs: number;
}

/** What all callers were told. */
export class Ledger {
  readonly #entries: Entry[] = [];
  #seen = emptySummary();

  add(mark: string): Entry {
    const entry: Entry = { mark, id: 0, state: "sent" };
    this.#entries.push(entry);
    return entry;
  }

  answered(ms: number): void {
    this.#seen.requests++;
    this.#seen.slowestMs = Math.max(this.#seen.slowestMs, ms);
  }

  trouble(what: string): void {
    count(this.#seen.troubles, what);
  }

  failure(what: string): void {
    count(this.#seen.failures, what);
  }

  /** Begins a new page, and returns the one before. */
  takeSummary(): Summary {
    const seen = this.#seen;
    this.#seen = emptySummary();
    return seen;
  }

  /** Where what is there differs from what callers were told. */
  differences(marks: readonly string[]): string[] {
    const found = new Map<string, number>();
    for (const mark of marks) count(found, mark);
    return this.#entries.flatMap(({ mark, state }) => {
      const times = found.get(mark) ?? 0;
      if (times > 1) return [`${mark} is there ${times} times`];
      if (times === 0 && state === "there") return [`${mark} is lost`];
      if (times === 1 && state === "gone") return [`${mark} is there, and was deleted`];
      return [];
    });
  }
}

/** For people to read. */
export function formatSummary({ requests, troubles, failures, slowestMs }: Summary): string {
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([what, times]) => `${times} × ${what}`).join(", ") || "none";
  return `${requests} requests, slowest ${Math.round(slowestMs)} ms; troubles: ${list(troubles)}; not done: ${list(failures)}`;
}

function emptySummary() {
  return {
    requests: 0,
    troubles: new Map<string, number>(),
    failures: new Map<string, number>(),
    slowestMs: 0,
  };
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
