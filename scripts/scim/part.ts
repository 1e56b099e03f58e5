import type { Engine } from "../../test/support/engines.ts";
import type { Roster } from "../../test/support/process/roster.ts";

/** One part of `npm run test:scim`. */
export interface ScimPart {
  readonly name: string;
  /** What the part shows, in one line. */
  readonly about: string;
  /** Whether the part is skipped without Python. */
  readonly needsPython?: boolean;
  /** Returns one sentence for each failure. Prints what it measures, and progress if it takes long. */
  readonly run: (options: PartOptions) => Promise<readonly string[]>;
}

export interface PartOptions {
  readonly seed: number;
  readonly engine: Engine;
  /** An empty service for this part only, without a rate limit. An error in its log fails the part. */
  readonly service: Roster;
  /** A key of the service, with all scopes. */
  readonly key: string;
  /** The Python of a virtual environment with the packages of `requirements.txt`. Empty if the part needs no Python. */
  readonly python: string;
  /** How long the long run takes. */
  readonly seconds: number;
}
