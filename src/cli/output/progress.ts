import type { Screen } from "../command.ts";

export interface Step {
  readonly step: string;
  readonly done: number;
  readonly total: number;
  /** What is counted, where the name of the step does not say it. */
  readonly unit?: string;
}

const BAR = 14;
/** A shorter one would show nothing. */
const SHORTEST_BAR = 4;
const GAP = "  ";
const REDRAWN_MS = 100;
/** Where nobody watches, a line now and then tells whoever reads it later. */
const SAID_MS = 10_000;

/** Shows how far something is: as a bar on a terminal, as a line now and then elsewhere. */
export class Progress {
  #step = "";
  #since = 0;
  #first = 0;
  #last: Step | undefined;
  #shownAt = 0;

  /** Of the steps in `uneven`, the time that is left cannot be told from how far they are. */
  constructor(
    readonly screen: Screen,
    readonly uneven: readonly string[] = [],
    readonly now: () => number = () => performance.now(),
  ) {}

  show(progress: Step): void {
    if (progress.total === 0) return;
    const now = this.now();
    const begins = progress.step !== this.#step;
    if (begins) {
      this.end();
      this.#step = progress.step;
      this.#since = now;
      this.#first = progress.done;
      this.#shownAt = now;
    }
    this.#last = progress;
    if (this.screen.isTTY) {
      if (begins || progress.done === progress.total || now - this.#shownAt >= REDRAWN_MS) this.#draw(now);
    } else if (now - this.#shownAt >= SAID_MS) {
      this.screen.write(`${this.#facts(progress, now).join(GAP)}\n`);
      this.#shownAt = now;
    }
  }

  /** Leaves the step that is shown as it is. */
  end(): void {
    if (this.#last && this.screen.isTTY) {
      this.#draw(this.now());
      this.screen.write("\n");
    }
    this.#last = undefined;
  }

  #draw(now: number): void {
    if (!this.#last) return;
    this.#shownAt = now;
    const { done, total } = this.#last;
    const room = (this.screen.columns || 80) - 1;
    // On a narrow terminal the bar gives way first, and what does not fit then is left out whole.
    const facts = this.#facts(this.#last, now);
    while (facts.length > 1 && facts.join(GAP).length > room) facts.pop();
    const text = facts.join(GAP).slice(0, room);
    const length = Math.min(BAR, room - text.length - GAP.length);
    const full = Math.round((length * Math.min(done, total)) / total);
    const bar = length < SHORTEST_BAR ? "" : "█".repeat(full) + "░".repeat(length - full) + GAP;
    this.screen.write(`\r${bar}${text}\u001b[K`);
  }

  #facts({ step, done, total, unit }: Step, now: number): string[] {
    const of = unit === undefined ? "" : ` ${unit}`;
    const percent = Math.floor((100 * Math.min(done, total)) / total);
    const facts = [step.padEnd(9), `${percent} %`.padStart(5), `${figure(done)} of ${figure(total)}${of}`];
    const seconds = (now - this.#since) / 1000;
    if (seconds >= 0.5 && !this.uneven.includes(step)) {
      const rate = (done - this.#first) / seconds;
      facts.push(`${figure(rate)}${of}/s`);
      if (rate > 0 && done < total) facts.push(`${duration((total - done) / rate)} left`);
    }
    return facts;
  }
}

function figure(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function duration(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.ceil((seconds % 3600) / 60)} min`;
}
