import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { ProblemError } from "../problem-error.ts";

/** What all dry runs of this process remember. */
let remembered = 0;

/** Counts what a dry run remembers of earlier lines: emails, unique values and memberships. */
export class DryRunMemory implements Disposable {
  #count = 0;

  /** Fails with `too-large` if the dry runs of this process remember too much. */
  add(count: number): void {
    this.#count += count;
    remembered += count;
    if (remembered > bulkLimits.dryRunEmails) {
      throw new ProblemError(
        "too-large",
        `Dry runs remember at most ${bulkLimits.dryRunEmails} emails, unique values and memberships at a time. Check the file in parts, or try again later.`,
      );
    }
  }

  [Symbol.dispose](): void {
    remembered -= this.#count;
    this.#count = 0;
  }
}
