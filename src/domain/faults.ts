import type { Fault, ProblemType } from "../contract/problems.ts";
import { Refusal } from "./refusal.ts";

/** Every fault of a body, within bounds: a small hostile body must not buy a long answer. */
export class Faults {
  static readonly #most = 100;
  static readonly #longestPointer = 256;
  readonly #faults: Fault[] = [];

  get any(): boolean {
    return this.#faults.length > 0;
  }

  get full(): boolean {
    return this.#faults.length >= Faults.#most;
  }

  add(pointer: string, detail: string): undefined {
    if (!this.full) this.#faults.push({ pointer: Faults.#shortened(pointer), detail });
  }

  refuse(type: ProblemType): void {
    if (!this.any) return;
    const count = this.#faults.length === 1 ? "One thing" : `${this.#faults.length} things`;
    throw new Refusal(type, `${count} to mend: see errors.`, this.#faults);
  }

  /** To what encloses the fault, if the way to the fault itself is too long. */
  static #shortened(pointer: string): string {
    if (pointer.length <= Faults.#longestPointer) return pointer;
    return pointer.slice(0, pointer.lastIndexOf("/", Faults.#longestPointer));
  }
}
