import { closeSync, createWriteStream, fchmodSync, fstatSync, openSync } from "node:fs";
import type { FailedLine, ImportedLine } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Screen } from "../command.ts";
import { describeProblem } from "../describe-error.ts";
import { print } from "./print.ts";
import { printable } from "./printable.ts";

/** The file of --errors has all failed lines. */
const MAX_SHOWN_ERRORS = 10;
/** Only the owner may read and write. */
const PRIVATE = 0o600;

/** Prints the first failed lines, and writes all of them to the file of --errors. */
export class FailedLines {
  readonly #stderr: Screen;
  readonly #path: string | undefined;
  count = 0;
  readonly #file: ReturnType<typeof createWriteStream> | undefined;
  #writeError: string | undefined;

  /** Throws a `ConfigError` if the file cannot be written. */
  constructor(stderr: Screen, path: string | undefined) {
    this.#stderr = stderr;
    this.#path = path;
    if (path === undefined) return;
    createFile(path);
    this.#file = createWriteStream(path);
    this.#file.on("error", (error) => {
      this.#writeError ??= error.message;
    });
  }

  /** `name` says which line it is, such as `line 3`. */
  add(outcome: ImportedLine & FailedLine, name: string): void {
    this.count++;
    this.#file?.write(`${JSON.stringify(outcome)}\n`);
    if (this.count > MAX_SHOWN_ERRORS) return;
    if (this.#stderr.isTTY) this.#stderr.rewriteLine("");
    print(this.#stderr, printable(`${name}: ${describeProblem(outcome.problem)}`));
  }

  async close(): Promise<void> {
    const more = this.count - MAX_SHOWN_ERRORS;
    if (more > 0) {
      const where =
        this.#path === undefined ? "write all of them to a file with --errors" : `see ${this.#path}`;
      print(this.#stderr, `… and ${more.toLocaleString("en")} more: ${where}.`);
    }
    await new Promise<void>((resolve) => {
      // A stream that failed is already closed.
      if (this.#file && !this.#file.closed) this.#file.once("close", resolve).end();
      else resolve();
    });
    if (this.#writeError !== undefined)
      print(this.#stderr, `${this.#path} is incomplete (${this.#writeError}).`);
  }
}

/** Runs before the import, so that no user is created if the file cannot be written. */
function createFile(path: string): void {
  try {
    const file = openSync(path, "w", PRIVATE);
    try {
      // The file may have existed with another mode. Failed lines hold personal data.
      if (fstatSync(file).isFile()) fchmodSync(file, PRIVATE);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new ConfigError(`Cannot write to ${path} (${message}): choose another file for --errors.`);
  }
}
