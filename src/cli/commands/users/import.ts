import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fchmodSync,
  fstatSync,
  openSync,
  statSync,
} from "node:fs";
import { resolve } from "node:path";
import { type FailedLine, type ImportedLine, NetworkError, TimeoutError } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config/config.ts";
import type { Command, CommandContext, Screen } from "../../command.ts";
import { describeProblem } from "../../describe-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import { formatFlag, rejectSpreadsheet, resolveFormat } from "../../flags/format-flag.ts";
import { importFlags } from "../../flags/import-flags.ts";
import { outputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { onInterrupt } from "../../interrupt.ts";
import { countLines } from "../../output/count-lines.ts";
import { formatCount } from "../../output/format-count.ts";
import { print, printSuccess } from "../../output/print.ts";
import { printable } from "../../output/printable.ts";
import { Progress } from "../../output/progress.ts";
import { resumeImport } from "../../resumed-import.ts";
import { Retries } from "../../retries.ts";
import { rewriteCsv, rewriteNdjson } from "../../rewrite-source.ts";

const flags = {
  file: {
    flag: "file",
    form: "word",
    takes: "the path of a file, or -",
    about: "The file with the users; - reads stdin.",
    parse: (text: string) => text,
  },
  format: formatFlag,
  ...importFlags,
  idempotencyKey: {
    flag: "idempotency-key",
    default: "",
    takes: "1 to 255 printable characters",
    about: "Identifies the import: repeating it with the same key within 24 hours creates no user twice.",
    parse: (text: string) => text || undefined,
  },
  errors: {
    flag: "errors",
    default: "",
    takes: "the path of a file to write",
    about: "Write the failed lines to this file, one JSON object per line.",
    parse: (text: string) => text || undefined,
  },
  output: outputFlag(
    ["ndjson"],
    "ndjson: print the result of each line to stdout, one JSON object per line. Default: only a summary.",
  ),
  ...serviceFlags,
} as const;

/** The file of --errors has all failed lines. */
const MAX_SHOWN_ERRORS = 10;
/** Only the owner may read and write. */
const PRIVATE = 0o600;

export const importUsers: Command = {
  flags,
  description: `The first row of a CSV file names the fields. The name field is required. Commas, semicolons or tabs separate cells.
Cells that are valid JSON (3, true, [1,2]) are parsed as JSON. Other cells are text. A line that fails does not stop the
others, but the exit code is then 1. If the connection is lost, the import of a file continues by itself. If an import
ends early, repeat it with the idempotency key that it prints.`,
  examples: [
    "roster users import people.csv",
    "roster users import people.ndjson --errors failed.ndjson",
    "jq -c '.[]' people.json | roster users import -",
    "roster users import people.csv --on-conflict update --dry-run",
    "roster users import crm.csv --map Mail=email --text zip",
  ],

  async run(args, context) {
    const {
      file,
      format,
      onConflict,
      match,
      dryRun,
      names,
      textColumns,
      idempotencyKey,
      errors,
      output,
      ...service
    } = readFlags(flags, args, context.env, "roster users import --help");
    rejectSpreadsheet(file);
    const stdin = file === "-";
    const isFile = !stdin && isRegularFile(file);
    if (errors !== undefined && resolve(errors) === resolve(file)) {
      throw new ConfigError(`${file} is the file to import: choose another file for --errors.`);
    }
    const resolvedFormat = resolveFormat(file, format);
    if (resolvedFormat === "ndjson" && textColumns.length > 0) {
      throw new ConfigError("--text is for CSV: NDJSON says itself which values are text.");
    }
    const client = openClient(service, context.env);
    const failures = new FailedLines(context.stderr, errors);
    const key = idempotencyKey ?? crypto.randomUUID();
    const startImport = () => {
      const bytes: AsyncIterable<Uint8Array> = stdin ? bytesOf(context.stdin) : createReadStream(file);
      const checked = resolvedFormat === "ndjson" ? rejectArray(bytes, file) : bytes;
      const rewrite = resolvedFormat === "ndjson" ? rewriteNdjson : rewriteCsv;
      const isRewritten = names.size > 0 || textColumns.length > 0;
      return client.users.import(isRewritten ? rewrite(checked, { names, textColumns }) : checked, {
        format: resolvedFormat,
        idempotencyKey: key,
        onConflict,
        match,
        dryRun,
      });
    };
    const howToContinue = `To continue without creating users twice, run the same command${stdin ? " on the same input" : ""}${
      idempotencyKey === undefined ? ` with --idempotency-key ${key}` : " again"
    }.`;
    const progress = new Progress(context.stderr);
    // A pipe, as with <(…), can be read only once.
    const total = isFile ? await countLines(file) : 0;
    const step = { step: dryRun ? "checking" : "importing", total, unit: "lines" };
    const start = performance.now();
    let created = 0;
    let existing = 0;
    let line = 0;
    onInterrupt(context.stderr, dryRun ? "Interrupted." : `Interrupted. ${howToContinue}`);
    try {
      const results = isFile ? resumeImport(startImport, new Retries(context.stderr)) : startImport();
      for await (const outcome of results) {
        line = outcome.line;
        if (outcome.problem) failures.add(outcome);
        else if (outcome.status === 201) created++;
        else existing++;
        if (output === "ndjson") context.stdout.write(`${JSON.stringify(outcome)}\n`);
        progress.show({ ...step, done: line });
      }
      // The last lines may be empty, or belong to the last row.
      progress.show({ ...step, done: total });
    } catch (error) {
      progress.end();
      const mayHaveStarted = line > 0 || error instanceof NetworkError || error instanceof TimeoutError;
      const where = line > 0 ? `after line ${line}` : "before the first result";
      if (mayHaveStarted && !dryRun) print(context.stderr, `The import ended ${where}. ${howToContinue}`);
      throw error;
    } finally {
      progress.end();
      await failures.close();
    }
    const seconds = (performance.now() - start) / 1000;
    printSummary(context, output === "ndjson", {
      created,
      existing: { count: existing, verb: onConflict === "skip" ? "skipped" : "updated" },
      failed: failures.count,
      seconds,
      dryRun,
    });
    if (failures.count > 0) process.exitCode = exitCodes.failed.code;
  },
};

/** Prints the first failed lines, and writes all of them to the file of --errors. */
class FailedLines {
  count = 0;
  readonly #file: ReturnType<typeof createWriteStream> | undefined;
  #writeError: string | undefined;

  /** Throws a `ConfigError` if the file cannot be written. */
  constructor(
    readonly stderr: Screen,
    readonly path: string | undefined,
  ) {
    if (path === undefined) return;
    createFile(path);
    this.#file = createWriteStream(path);
    this.#file.on("error", (error) => {
      this.#writeError ??= error.message;
    });
  }

  add(outcome: ImportedLine & FailedLine): void {
    this.count++;
    this.#file?.write(`${JSON.stringify(outcome)}\n`);
    if (this.count > MAX_SHOWN_ERRORS) return;
    if (this.stderr.isTTY) this.stderr.rewriteLine("");
    print(this.stderr, `line ${outcome.line}: ${printable(describeProblem(outcome.problem))}`);
  }

  async close(): Promise<void> {
    const more = this.count - MAX_SHOWN_ERRORS;
    if (more > 0) {
      const where =
        this.path === undefined ? "write all of them to a file with --errors" : `see ${this.path}`;
      print(this.stderr, `… and ${more.toLocaleString("en")} more: ${where}.`);
    }
    await new Promise<void>((resolve) => {
      // A stream that failed is already closed.
      if (this.#file && !this.#file.closed) this.#file.once("close", resolve).end();
      else resolve();
    });
    if (this.#writeError !== undefined)
      print(this.stderr, `${this.path} is incomplete (${this.#writeError}).`);
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

/** Whether the path is a regular file. Throws a `ConfigError` if it cannot be read. */
function isRegularFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new ConfigError(`There is no file ${path}.`);
  if (stats.isDirectory()) throw new ConfigError(`${path} is a folder: choose a file in it.`);
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new ConfigError(`You have no permission to read ${path}.`);
  }
  return stats.isFile();
}

/** Passes the bytes on. Throws a `ConfigError` for a JSON array: imports have one object per line. */
async function* rejectArray(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  let started = false;
  for await (const bytes of source) {
    const text: string = started ? "" : new TextDecoder().decode(bytes.subarray(0, 1024)).trimStart();
    if (text.startsWith("[")) {
      const name = file === "-" ? "The input" : file;
      throw new ConfigError(
        `${name} is a JSON array, but an import needs one object per line. Convert it with: jq -c '.[]'`,
      );
    }
    started ||= text !== "";
    yield bytes;
  }
}

interface ImportCounts {
  readonly created: number;
  readonly existing: { readonly count: number; readonly verb: string };
  readonly failed: number;
  readonly seconds: number;
  readonly dryRun: boolean;
}

function printSummary(
  { stdout, stderr }: CommandContext,
  printsResults: boolean,
  { created, existing, failed, seconds, dryRun }: ImportCounts,
): void {
  const format = (value: number) => Math.round(value).toLocaleString("en");
  // A rate of a shorter time would only measure one request.
  const lines = created + existing.count + failed;
  const rate = seconds >= 0.5 ? `, ${format(lines / seconds)} per second` : "";
  const counts = [
    ...(existing.count > 0 ? [`${format(existing.count)} ${existing.verb}`] : []),
    `${format(failed)} failed`,
  ];
  const summary = dryRun
    ? `Checked ${formatCount(lines, "line")}: ${format(created)} created, ${counts.join(", ")}. Nothing was changed.`
    : `Imported ${formatCount(created, "user")}, ${counts.join(", ")} (${seconds.toFixed(1)} s${rate}).`;
  const screen = printsResults ? stderr : stdout;
  if (failed === 0) printSuccess(screen, summary);
  else print(screen, summary);
}

async function* bytesOf(input: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
