import type { Clock, Timer } from "../domain/clock.ts";
import type { LoopBudget } from "./loop-budget.ts";

/** A webhook that may have something to send. */
export interface TurnTaker {
  /** Sends the next delivery. Returns whether another one can be sent now. */
  sendNext(): boolean;
}

/** Lets the webhooks of this node take turns: each sends one delivery, then the next webhook does, while the budget lasts. */
export class DeliveryTurns {
  readonly #clock: Clock;
  readonly #budget: LoopBudget;
  /** In the order of their turns. */
  readonly #waiting = new Set<TurnTaker>();
  #slice: Timer | undefined;

  constructor(clock: Clock, budget: LoopBudget) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /** Has no effect if the webhook waits for its turn already. */
  add(taker: TurnTaker): void {
    this.#waiting.add(taker);
    this.#slice ??= this.#clock.after(this.#budget.waitMs, () => this.#run());
  }

  #run(): void {
    this.#slice = undefined;
    for (const taker of this.#waiting) {
      if (this.#budget.isSpent) break;
      this.#waiting.delete(taker);
      // A set visits what is added at its end.
      if (taker.sendNext()) this.#waiting.add(taker);
    }
    if (this.#waiting.size > 0) this.#slice = this.#clock.after(this.#budget.waitMs, () => this.#run());
  }
}
