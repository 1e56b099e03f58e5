import type { FieldError, ProblemType } from "../contract/problems.ts";
import { ProblemError } from "./problem-error.ts";

/** Every fault of a body, within bounds: a small hostile body must not buy a long answer. */
export class FieldErrors {
  static readonly #most = 100;
  static readonly #longestPointer = 256;
  readonly #faults: FieldError[] = [];

  get any(): boolean {
    return this.#faults.length > 0;
  }

  get full(): boolean {
    return this.#faults.length >= FieldErrors.#most;
  }

  add(pointer: string, detail: string): undefined {
    if (!this.full) this.#faults.push({ pointer: FieldErrors.#shortened(pointer), detail });
  }

  throwIfAny(type: ProblemType): void {
    if (!this.any) return;
    const count = this.#faults.length === 1 ? "One thing" : `${this.#faults.length} things`;
    throw new ProblemError(type, `${count} to mend: see errors.`, this.#faults);
  }

  /** To what encloses the fault, if the way to the fault itself is too long. */
  static #shortened(pointer: string): string {
    if (pointer.length <= FieldErrors.#longestPointer) return pointer;
    return pointer.slice(0, pointer.lastIndexOf("/", FieldErrors.#longestPointer));
  }
}
