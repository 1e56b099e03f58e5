/** One part of `npm run test:scim`. */
export interface ScimPart {
  readonly name: string;
  /** What the part shows, in one line. */
  readonly about: string;
  /** Returns one sentence for each failure. Prints what it measures, and progress if it takes long. */
  readonly run: (options: PartOptions) => Promise<readonly string[]>;
}

export interface PartOptions {
  readonly seed: number;
  readonly engine: "sqlite" | "postgres";
  /** The Python of a virtual environment with the packages of `requirements.txt`. */
  readonly python: string;
  /** How long the long run takes. */
  readonly seconds: number;
}
