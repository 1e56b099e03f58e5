/** The kinds of requests, with their names on the page. `requested-pages.ts` says what the lists ask for. */
const peerKinds = {
  one: "one user",
  pages: "list of 20, any page",
  same: "list of the same 20",
  offset: "list of 20 after 8,000 to 9,980",
  common: "search, 1 in 5 matches",
  name: "search, 1 in 150 matches",
  rare: "search, one match",
  create: "create",
} as const;

export type PeerKind = keyof typeof peerKinds;

export const kindNames = Object.entries(peerKinds) as readonly (readonly [PeerKind, string])[];

/** Medians of the rounds of one kind. */
export interface PeerFigures {
  readonly cpuMicros: number;
  readonly lowest: number;
  readonly highest: number;
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface PeerResult {
  readonly name: string;
  /** The number of users that it serves. */
  readonly users: number;
  /** From the start of the process to the first response. */
  readonly startMs: number;
  /** Resident memory after the start, and after all rounds. */
  readonly idleMegabytes: number;
  readonly loadedMegabytes: number;
  readonly figures: { readonly [Kind in PeerKind]?: PeerFigures };
}

/** Everything that docs/benchmarks.md says. */
export interface PeerResults {
  readonly date: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  /** Over the last minute before the first round. */
  readonly loadAverage: number;
  readonly fsyncMicros: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly peers: readonly PeerResult[];
}
