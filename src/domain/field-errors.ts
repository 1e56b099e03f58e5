import { type FieldError, type ProblemType, summarizeErrors } from "../contract/problems.ts";
import { ProblemError } from "./problem-error.ts";

/** Collects the errors of a request body, up to a limit: a small malicious body must not cause a large response. */
export class FieldErrors {
  static readonly #maxErrors = 100;
  static readonly #maxPointerCharacters = 256;
  readonly #errors: FieldError[] = [];

  get any(): boolean {
    return this.#errors.length > 0;
  }

  get full(): boolean {
    return this.#errors.length >= FieldErrors.#maxErrors;
  }

  get list(): readonly FieldError[] {
    return this.#errors;
  }

  /** Returns undefined, so that a check can add an error and return in one expression. */
  add(pointer: string, detail: string, position?: number): undefined {
    if (this.full) return;
    const error = { pointer: FieldErrors.#shorten(pointer), detail };
    this.#errors.push(position === undefined ? error : { ...error, position });
  }

  throwIfAny(type: ProblemType): void {
    if (!this.any) return;
    throw new ProblemError(type, summarizeErrors(this.#errors), this.#errors);
  }

  /** Cuts a long pointer, so that it points to a parent of the invalid value. */
  static #shorten(pointer: string): string {
    if (pointer.length <= FieldErrors.#maxPointerCharacters) return pointer;
    return pointer.slice(0, pointer.lastIndexOf("/", FieldErrors.#maxPointerCharacters));
  }
}
