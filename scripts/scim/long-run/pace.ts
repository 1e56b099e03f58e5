/** Gives turns at a steady rate, whether earlier requests have been answered or not. */
export class Pace {
  readonly #waiting: (() => void)[] = [];
  #isFree = false;

  /** Resolves when the next request may be sent. */
  turn(): Promise<void> {
    if (this.#isFree) {
      this.#isFree = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Gives a turn to whoever has waited longest. `begin` is called if nobody waits: it may take the turn. */
  async run(perSecond: number, begin: () => void, isOver: () => boolean): Promise<void> {
    const start = performance.now();
    for (let number = 0; !isOver(); number++) {
      await Bun.sleep(Math.max(0, start + (number * 1000) / perSecond - performance.now()));
      const next = this.#waiting.shift();
      if (next) next();
      else {
        this.#isFree = true;
        begin();
      }
    }
  }
}
