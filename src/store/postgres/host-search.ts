import {
  type ConnectionOptions,
  clockOf,
  isReadOnly,
  openForCheck,
  STATEMENT_MARGIN_MS,
  withTimeout,
} from "./connection-pools.ts";
import { unavailable } from "./error-codes.ts";

const HOST_CHECK_MS = 2000;

/** A question to a host. */
interface Check {
  /** The URL of the host if it can be used. */
  readonly answer: Promise<string>;
  /** Ends the question: there is no answer any more. */
  readonly close: () => Promise<void>;
}

/**
 * Finds the host to use. Asks all hosts at once, so a host that is dead does not delay the others. A search that begins while an
 * earlier one waits for a dead host asks the others again: one of them may accept writes by now.
 */
export class HostSearch {
  readonly #options: ConnectionOptions;
  readonly #checks = new Map<string, Check>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * The first host that says that it accepts writes. If the node may use a standby: the first in the order of the URL that responds.
   * Fails with the error of the last host.
   */
  async find(): Promise<string> {
    const { urls, readWrite } = this.#options.database;
    const answers = urls.map((url) => this.#ask(url));
    const url = await (readWrite ? firstToSucceed(answers) : firstInOrder(answers));
    this.close();
    return url;
  }

  /** Ends all searches. */
  close(): void {
    for (const { close } of this.#checks.values()) close().catch(() => undefined);
    this.#checks.clear();
  }

  #ask(url: string): Promise<string> {
    const running = this.#checks.get(url);
    if (running) return running.answer;
    const check = startCheck(this.#options, url);
    this.#checks.set(url, check);
    const end = () => {
      if (this.#checks.get(url) === check) this.#checks.delete(url);
    };
    check.answer.then(end, end);
    return check.answer;
  }
}

function startCheck(options: ConnectionOptions, url: string): Check {
  const waitMs = Math.min(options.waitMs, HOST_CHECK_MS);
  const sql = openForCheck({ ...options, waitMs }, url);
  const close = () => sql.close({ timeout: 0 });
  const ask = async () => {
    try {
      const ms = waitMs + STATEMENT_MARGIN_MS;
      const readOnly = await withTimeout(isReadOnly(sql), { ms, clock: clockOf(options) });
      if (options.database.readWrite && readOnly) throw unavailable("No host accepts writes.");
      return url;
    } finally {
      await close();
    }
  };
  return { answer: ask(), close };
}

function firstToSucceed(answers: readonly Promise<string>[]): Promise<string> {
  return Promise.any(answers).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  });
}

async function firstInOrder(answers: readonly Promise<string>[]): Promise<string> {
  let failure: unknown;
  for (const result of answers) {
    // Without this, a host that fails before its turn would count as an unhandled rejection.
    result.catch(() => undefined);
  }
  for (const result of answers) {
    try {
      return await result;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
