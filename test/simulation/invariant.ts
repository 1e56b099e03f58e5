import type { Observation } from "./observation.ts";

/** What the service promises, whatever happens. Each method returns what is wrong, or undefined. */
export interface Invariant {
  /** The promise, as a sentence. */
  readonly name: string;
  observe?(observation: Observation): string | undefined;
  /** Runs after every turn of the event loop: it must be quick. */
  check?(): string | undefined;
  /** Runs at the end, when everything has had time to finish without a fault. */
  checkEnd?(): string | undefined;
}
