/*
 * What the store uses of Bun's driver, as types. `SQL` and `ReservedSQL` of Bun have all of it, and so has the driver of the
 * simulator.
 */

/** The rows of a statement. Numbers of 64 bits arrive as text. */
type Result = unknown[][] & {
  /** What the server has done, like COMMIT. */
  readonly command?: string;
};

interface Statement extends Promise<Result> {
  /** Each row is an array. */
  values(): Promise<Result>;
  /** Sends the statement now. Otherwise, it is sent when somebody waits for it. */
  execute(): Promise<Result>;
}

/** A pool, or a reserved connection. */
export interface Client {
  (text: TemplateStringsArray): Statement;
  unsafe(text: string, values?: (string | null)[]): Statement;
  /** A pool waits for running statements, for this many seconds at most. A reserved connection cancels its statement. */
  close(options: { readonly timeout: number }): Promise<void>;
}

/** Connections that share statements. A connection that is lost is opened again. */
export interface Pool extends Client {
  reserve(options?: { signal?: AbortSignal }): Promise<ReservedConnection>;
}

/** A connection of a pool that nobody else uses. */
export interface ReservedConnection extends Client {
  release(): Promise<void>;
}

/** How a pool connects, beside its URL. */
export interface PoolOptions {
  /** Called when a connection has closed. */
  readonly onclose: () => void;
  readonly database: string;
  /** Most connections. */
  readonly max: number;
  /** Whether connections keep prepared statements. */
  readonly prepare: boolean;
  /** In seconds. */
  readonly connectionTimeout: number;
  /** Settings of each session. */
  readonly connection?: Readonly<Record<string, string | number>>;
}
