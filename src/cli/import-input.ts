import { accessSync, constants, createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import type { BulkFormat, Membership } from "../client/index.ts";
import { ConfigError } from "../config/config.ts";
import type { Screen } from "./command.ts";
import { rejectSpreadsheet } from "./flags/format-flag.ts";
import { FILE_TAKES } from "./flags/import-flags.ts";
import { countLines } from "./output/count-lines.ts";
import { rewriteCsv, rewriteNdjson, type SourceRewrite } from "./rewrite-source.ts";
import { UnmatchedLines } from "./unmatched-lines.ts";

/** What an import sends, read from a file or stdin. */
export interface ImportInput {
  readonly format: BulkFormat;
  /** Reads the file again from its start. */
  open(): AsyncIterable<string | Uint8Array>;
  /** What `done` counts, and how much there is; 0 if that is not known. */
  readonly unit: "lines" | "kB" | "groups" | "memberships";
  readonly total: number;
  /** How much has been read, if the line of the last result does not say it. */
  done(line: number): number;
  /** What a result belongs to: `line 3`, or a user of another system. Called once for each result, in order. */
  describe(line: number): {
    readonly name: string;
    readonly sourceId?: string;
    readonly membership?: Membership | undefined;
  };
  /** Lines with an id that find no user, because they lack the field of --match. */
  countUnmatched(): number;
  /** Prints what was not imported, after the summary. */
  printReport(screen: Screen): void;
}

/** A file or stdin. */
export interface Input {
  readonly file: string;
  readonly isFile: boolean;
  readonly stdin: NodeJS.ReadableStream;
}

/** CSV or NDJSON with the fields of Roster. Without `match`, the input does not count lines that find nothing. */
export async function openTable(
  input: Input,
  format: BulkFormat,
  rewrite: SourceRewrite,
  match?: string,
): Promise<ImportInput> {
  const { names, textColumns } = rewrite;
  const [unnamed] = [...names].find(([, to]) => to === "") ?? [];
  if (unnamed !== undefined) throw new ConfigError(`--map ${unnamed}=: use OLD=NEW.`);
  if (format === "ndjson" && textColumns.length > 0) {
    throw new ConfigError("--text is for CSV: NDJSON says itself which values are text.");
  }
  const isRewritten = names.size > 0 || textColumns.length > 0;
  const unmatched = match === undefined ? undefined : new UnmatchedLines(format, match);
  return {
    format,
    open() {
      const bytes = openBytes(input);
      const checked = format === "ndjson" ? rejectArray(bytes, input.file) : bytes;
      const rewriteLines = format === "ndjson" ? rewriteNdjson : rewriteCsv;
      const lines = isRewritten ? rewriteLines(checked, rewrite) : checked;
      return unmatched?.watch<string | Uint8Array>(lines) ?? lines;
    },
    unit: "lines",
    // A pipe, as with <(…), can be read only once.
    total: input.isFile ? await countLines(input.file) : 0,
    done: (line) => line,
    describe: (line) => ({ name: `line ${line}` }),
    countUnmatched: () => unmatched?.count ?? 0,
    printReport: () => undefined,
  };
}

/** The file to import, or stdin. Throws a `ConfigError` if the file cannot be imported. */
export function placeOf(file: string, errors: string | undefined, stdin: NodeJS.ReadableStream): Input {
  if (file === "") throw new ConfigError(`FILE is required. Use ${FILE_TAKES}.`);
  rejectSpreadsheet(file);
  const isFile = file !== "-" && isRegularFile(file);
  if (errors !== undefined && resolve(errors) === resolve(file)) {
    throw new ConfigError(`${file} is the file to import: choose another file for --errors.`);
  }
  return { file, isFile, stdin };
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

/** The bytes of the file, from its start, or of stdin. */
export function openBytes({ file, stdin }: Input): AsyncIterable<Uint8Array> {
  return file === "-" ? bytesOf(stdin) : createReadStream(file);
}

async function* bytesOf(input: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
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
