import { spyOn } from "bun:test";

/** Stops the clock of rate limits in this process, until it is disposed. `advance` moves it. */
export class FrozenClock implements Disposable {
  #now = performance.now();
  readonly #spy = spyOn(performance, "now").mockImplementation(() => this.#now);

  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }

  [Symbol.dispose](): void {
    this.#spy.mockRestore();
  }
}
