import type { Screen } from "../command.ts";

export interface Step {
  readonly step: string;
  readonly done: number;
  readonly total: number;
  /** What is counted, if the step does not say it. */
  readonly unit?: string;
}

const BAR_WIDTH = 14;
const MIN_BAR_WIDTH = 4;
const GAP = "  ";
const REDRAW_MS = 100;
/** Interval of the lines in a pipe. */
const LINE_MS = 10_000;

/** Shows progress: as a bar on a terminal, as a line every ten seconds elsewhere. */
export class Progress {
  #step = "";
  #since = 0;
  #first = 0;
  #last: Step | undefined;
  #shownAt = 0;

  readonly #screen: Screen;
  readonly #uneven: readonly string[];
  readonly #now: () => number;

  /** `uneven` lists steps of uneven speed, whose remaining time is not shown. */
  constructor(screen: Screen, uneven: readonly string[] = [], now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#uneven = uneven;
    this.#now = now;
  }

  /** A total that turns out to be too small grows: users may be added while they are counted. */
  show(step: Step): void {
    if (step.total === 0) return;
    const progress = { ...step, total: Math.max(step.total, step.done) };
    const now = this.#now();
    const isNewStep = progress.step !== this.#step;
    if (isNewStep) {
      this.end();
      this.#step = progress.step;
      this.#since = now;
      this.#first = progress.done;
      this.#shownAt = now;
    }
    this.#last = progress;
    if (this.#screen.isTTY) {
      if (isNewStep || progress.done === progress.total || now - this.#shownAt >= REDRAW_MS) this.#draw(now);
    } else if (now - this.#shownAt >= LINE_MS) {
      this.#screen.write(`${this.#facts(progress, now).join(GAP)}\n`);
      this.#shownAt = now;
    }
  }

  /** Ends the current step and keeps its line. */
  end(): void {
    if (this.#last && this.#screen.isTTY) {
      this.#draw(this.#now());
      this.#screen.write("\n");
    }
    this.#last = undefined;
  }

  #draw(now: number): void {
    if (!this.#last) return;
    this.#shownAt = now;
    const { done, total } = this.#last;
    const room = (this.#screen.columns || 80) - 1;
    // On a narrow terminal, shorten the bar first, then omit whole figures.
    const facts = this.#facts(this.#last, now);
    while (facts.length > 1 && facts.join(GAP).length > room) facts.pop();
    const text = facts.join(GAP).slice(0, room);
    const length = Math.min(BAR_WIDTH, room - text.length - GAP.length);
    const full = Math.round((length * done) / total);
    const bar = length < MIN_BAR_WIDTH ? "" : "█".repeat(full) + "░".repeat(length - full) + GAP;
    this.#screen.rewriteLine(bar + text);
  }

  #facts({ step, done, total, unit }: Step, now: number): string[] {
    const unitSuffix = unit === undefined ? "" : ` ${unit}`;
    const percent = Math.floor((100 * done) / total);
    const facts = [
      step.padEnd(9),
      `${percent} %`.padStart(5),
      `${formatNumber(done)} of ${formatNumber(total)}${unitSuffix}`,
    ];
    const seconds = (now - this.#since) / 1000;
    if (seconds >= 0.5 && !this.#uneven.includes(step)) {
      const rate = (done - this.#first) / seconds;
      facts.push(`${formatNumber(rate)}${unitSuffix}/s`);
      if (rate > 0 && done < total) facts.push(`${formatSeconds((total - done) / rate)} left`);
    }
    return facts;
  }
}

function formatNumber(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function formatSeconds(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.ceil((seconds % 3600) / 60)} min`;
}
