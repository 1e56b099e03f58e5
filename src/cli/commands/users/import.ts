import { resolve } from "node:path";
import { NetworkError, TimeoutError } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config/config.ts";
import type { Command, CommandContext } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { formatFlag, rejectSpreadsheet, resolveFormat } from "../../flags/format-flag.ts";
import { importFlags } from "../../flags/import-flags.ts";
import { outputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { sourceFlags } from "../../flags/source-flags.ts";
import { isRegularFile, openTable } from "../../import-input.ts";
import { onInterrupt } from "../../interrupt.ts";
import { FailedLines } from "../../output/failed-lines.ts";
import { formatCount } from "../../output/format-count.ts";
import { print, printSuccess } from "../../output/print.ts";
import { Progress } from "../../output/progress.ts";
import { resumeImport } from "../../resumed-import.ts";
import { Retries } from "../../retries.ts";

const flags = {
  file: {
    flag: "file",
    form: "word",
    // Required, except with --show-mapping.
    default: "",
    takes: "the path of a file, or -",
    about: "The file with the users; - reads stdin.",
    parse: (text: string) => text,
  },
  format: formatFlag,
  ...importFlags,
  ...sourceFlags,
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

export const importUsers: Command = {
  flags,
  description: `The first row of a CSV file names the fields. The name field is required. Commas, semicolons or tabs separate cells.
Cells that are valid JSON (3, true, [1,2]) are parsed as JSON. Other cells are text. A line that fails does not stop the
others, but the exit code is then 1. If the connection is lost, the import of a file continues by itself. If an import
ends early, repeat it with the idempotency key that it prints.

An export has ids. To import it again into the same service, use --match id: users without an email and a user name have
nothing else by which a line finds them.

With --from, FILE is an export of another system. Roster reads it as it is, keeps the ids of the other system, and reports
what it does not import, such as password hashes.`,
  examples: [
    "roster users import people.csv",
    "roster users import people.ndjson --errors failed.ndjson",
    "jq -c '.[]' people.json | roster users import -",
    "roster users import people.csv --on-conflict update --dry-run",
    "roster users import people.ndjson --match id --on-conflict skip",
    "roster users import crm.csv --map Mail=email --text zip",
    "roster users import acme-realm.json --from keycloak --dry-run",
    "roster users import --from okta --show-mapping",
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
      from,
      collection,
      showMapping,
      idempotencyKey,
      errors,
      output,
      ...service
    } = readFlags(flags, args, context.env, "roster users import --help");
    if (from === undefined && (showMapping || collection !== "")) {
      throw new ConfigError("--show-mapping and --collection need --from.");
    }
    if (from !== undefined && (format !== undefined || textColumns.length > 0)) {
      throw new ConfigError("With --from, omit --format and --text: the export says it itself.");
    }
    if (from !== undefined && showMapping) {
      return await (await import("../../sources/show-mapping.ts")).showMapping(context.stdout, from, names);
    }
    if (file === "") throw new ConfigError(`FILE is required. Use ${flags.file.takes}.`);
    rejectSpreadsheet(file);
    const stdin = file === "-";
    const isFile = !stdin && isRegularFile(file);
    if (errors !== undefined && resolve(errors) === resolve(file)) {
      throw new ConfigError(`${file} is the file to import: choose another file for --errors.`);
    }
    const place = { file, isFile, stdin: context.stdin };
    const input =
      from === undefined
        ? await openTable(place, resolveFormat(file, format), { names, textColumns }, match)
        : await (await import("../../sources/open-export.ts")).openExport(place, from, collection, names);
    const client = openClient(service, context.env);
    const failures = new FailedLines(context.stderr, errors);
    const key = idempotencyKey ?? crypto.randomUUID();
    const startImport = () =>
      client.users.import(input.open(), {
        format: input.format,
        idempotencyKey: key,
        onConflict,
        match,
        dryRun,
      });
    const howToContinue = `To continue without creating users twice, run the same command${stdin ? " on the same input" : ""}${
      idempotencyKey === undefined ? ` with --idempotency-key ${key}` : " again"
    }.`;
    const progress = new Progress(context.stderr);
    const { total, unit } = input;
    const step = { step: dryRun ? "checking" : "importing", total, unit };
    const start = performance.now();
    let created = 0;
    let existing = 0;
    let line = 0;
    onInterrupt(context.stderr, dryRun ? "Interrupted." : `Interrupted. ${howToContinue}`);
    try {
      const results = isFile ? resumeImport(startImport, new Retries(context.stderr)) : startImport();
      for await (const outcome of results) {
        line = outcome.line;
        const { name, ...ids } = input.describe(line);
        if (outcome.problem) failures.add({ ...outcome, ...ids, problem: outcome.problem }, name);
        else if (outcome.status === 201) created++;
        else existing++;
        if (output === "ndjson") context.stdout.write(`${JSON.stringify({ ...outcome, ...ids })}\n`);
        progress.show({ ...step, done: input.done(line) });
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
    input.printReport(output === "ndjson" ? context.stderr : context.stdout);
    const unmatched = input.countUnmatched();
    // A first import into an empty directory meets no user.
    if (unmatched > 0 && (onConflict !== "fail" || failures.count > 0)) {
      print(
        context.stderr,
        `Lines with an id, but no ${match}: ${unmatched.toLocaleString("en")}. Roster creates a user for each of them, even if the user exists. If the file is an export of this service, use --match id.`,
      );
    }
    if (failures.count > 0) process.exitCode = exitCodes.failed.code;
  },
};

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
