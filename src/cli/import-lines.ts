import { type ImportedLine, NetworkError, TimeoutError } from "../client/index.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ImportInput, Input } from "./import-input.ts";
import { onInterrupt } from "./interrupt.ts";
import { FailedLines } from "./output/failed-lines.ts";
import { formatCount } from "./output/format-count.ts";
import { print, printSuccess } from "./output/print.ts";
import { Progress } from "./output/progress.ts";
import { resumeImport } from "./resumed-import.ts";
import { Retries } from "./retries.ts";

/** An import of users, groups or memberships. */
export interface LineImport {
  readonly place: Input;
  readonly input: Pick<ImportInput, "unit" | "total" | "done" | "describe" | "printReport">;
  /** Starts the import at its first line. Called again if the connection is lost. */
  start(idempotencyKey: string): AsyncIterable<ImportedLine>;
  /** The key that the caller chose, if any. */
  readonly idempotencyKey: string | undefined;
  /** For an import of several parts: the key if the caller chose none, and whether earlier parts are imported. */
  readonly parts?: { readonly newKey: string; readonly haveBegun: boolean };
  readonly dryRun: boolean;
  /** Print the result of each line to stdout. */
  readonly printsResults: boolean;
  /** The summary without the failed lines, such as `Imported 3 users, 1 skipped`. In a dry run, only the counts. */
  readonly describe: (counts: ImportCounts) => string;
  /** What a dry run has checked. Default: `line`. */
  readonly noun?: string;
}

export interface ImportCounts {
  /** Lines with status 201. */
  readonly created: number;
  /** Other lines that did not fail. */
  readonly existing: number;
  readonly failed: number;
  readonly seconds: number;
}

/** Imports all lines, and prints the failed ones, the summary and the report of the input. Sets the exit code. */
export async function runImport(
  lines: LineImport,
  errors: string | undefined,
  context: CommandContext,
): Promise<ImportCounts> {
  const failures = new FailedLines(context.stderr, errors);
  const counts = await importLines(lines, failures, context).finally(() => failures.close());
  printImport(lines, counts, context);
  if (counts.failed > 0) process.exitCode = exitCodes.failed.code;
  return counts;
}

/** Imports all lines. Shows the progress, and continues by itself if the connection is lost. Says how to continue if it ends early. */
export async function importLines(
  { place, input, start, idempotencyKey, parts, dryRun, printsResults }: LineImport,
  failures: FailedLines,
  { stdout, stderr }: CommandContext,
): Promise<ImportCounts> {
  const key = idempotencyKey ?? parts?.newKey ?? crypto.randomUUID();
  const again = idempotencyKey === undefined ? `with --idempotency-key ${key}` : "again";
  const howToContinue = `To continue without importing a line twice, run the same command${
    place.file === "-" ? " on the same input" : ""
  } ${again}.`;
  const progress = new Progress(stderr);
  const { total, unit } = input;
  const step = { step: dryRun ? "checking" : "importing", total, unit };
  const began = performance.now();
  let [created, existing, failed, line] = [0, 0, 0, 0];
  const ignoreInterrupts = onInterrupt(stderr, dryRun ? "Interrupted." : `Interrupted. ${howToContinue}`);
  try {
    const open = () => start(key);
    const results = place.isFile ? resumeImport(open, new Retries(stderr)) : open();
    for await (const outcome of results) {
      line = outcome.line;
      const { name, ...ids } = input.describe(line);
      if (outcome.problem) {
        failed++;
        failures.add({ ...outcome, ...ids, problem: outcome.problem }, name);
      } else if (outcome.status === 201) created++;
      else existing++;
      if (printsResults) stdout.write(`${JSON.stringify({ ...outcome, ...ids })}\n`);
      progress.show({ ...step, done: input.done(line) });
    }
    // The last lines may be empty, or belong to the last row.
    progress.show({ ...step, done: total });
  } catch (error) {
    progress.end();
    const mayHaveStarted =
      line > 0 || parts?.haveBegun || error instanceof NetworkError || error instanceof TimeoutError;
    const where = line > 0 ? `after line ${line}` : "before the first result";
    if (mayHaveStarted && !dryRun) print(stderr, `The import ended ${where}. ${howToContinue}`);
    throw error;
  } finally {
    progress.end();
    ignoreInterrupts();
  }
  return { created, existing, failed, seconds: (performance.now() - began) / 1000 };
}

/** Prints the summary and the report of the input: to stderr, if the results are on stdout. */
export function printImport(
  { input, dryRun, printsResults, describe, noun = "line" }: LineImport,
  counts: ImportCounts,
  { stdout, stderr }: CommandContext,
): void {
  const { created, existing, failed, seconds } = counts;
  const lines = created + existing + failed;
  // A rate of a shorter time would only measure one request.
  const rate = seconds >= 0.5 ? `, ${Math.round(lines / seconds).toLocaleString("en")} per second` : "";
  const result = `${describe(counts)}, ${failed.toLocaleString("en")} failed`;
  const summary = dryRun
    ? `Checked ${formatCount(lines, noun)}: ${result}. Nothing was changed.`
    : `${result} (${seconds.toFixed(1)} s${rate}).`;
  const screen = printsResults ? stderr : stdout;
  if (failed === 0) printSuccess(screen, summary);
  else print(screen, summary);
  input.printReport(screen);
}

/** Describes an import of records: what happened to the lines whose record existed depends on `onConflict`. */
export function describeRecords(
  noun: "user" | "group",
  { onConflict, dryRun }: { readonly onConflict: string; readonly dryRun: boolean },
): LineImport["describe"] {
  const verb = onConflict === "skip" ? "skipped" : "updated";
  return ({ created, existing }) => {
    const done = dryRun
      ? `${created.toLocaleString("en")} created`
      : `Imported ${formatCount(created, noun)}`;
    return existing > 0 ? `${done}, ${existing.toLocaleString("en")} ${verb}` : done;
  };
}

/** Describes an import of memberships. The service does not tell which users were members before they are removed. */
export function describeMemberships(
  { created, existing }: ImportCounts,
  { remove, dryRun }: { readonly remove: boolean; readonly dryRun: boolean },
): string {
  const format = (count: number) => count.toLocaleString("en");
  if (remove) {
    return dryRun
      ? `${format(existing)} valid`
      : `Removed the memberships of ${formatCount(existing, "line")}`;
  }
  const added = dryRun ? `${format(created)} added` : `Added ${formatCount(created, "membership")}`;
  return existing > 0 ? `${added}, ${format(existing)} unchanged` : added;
}
