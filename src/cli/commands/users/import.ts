import { accessSync, constants, createReadStream, createWriteStream, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type FailedLine, type ImportedLine, NetworkError, TimeoutError } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config/config.ts";
import { type Command, type CommandContext, describeFlags, type Screen } from "../../command.ts";
import { describeProblem, exitCodes } from "../../exit-codes.ts";
import { formatFlag, resolveFormat } from "../../flags/bulk-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { jsonFlag } from "../../flags/user-flags.ts";
import { onInterrupt } from "../../interrupt.ts";
import { print } from "../../output/print.ts";
import { Progress } from "../../output/progress.ts";

const flags = {
  file: {
    flag: "file",
    form: "word",
    takes: "the path of a file, or -",
    about: "Where the users are; - reads stdin.",
    parse: (text: string) => text,
  },
  format: formatFlag,
  key: {
    flag: "idempotency-key",
    default: "",
    takes: "1 to 255 printable characters",
    about: "Names the import: repeated with the same one within 24 hours, it makes nobody twice.",
    parse: (text: string) => text || undefined,
  },
  errors: {
    flag: "errors",
    default: "",
    takes: "the path of a file to write",
    about: "Write what became of each line that was refused to this file, as JSON one a line.",
    parse: (text: string) => text || undefined,
  },
  json: { ...jsonFlag, about: "What became of each line on stdout, as JSON one a line." },
  ...serviceFlags,
} as const;

/** More than these are in the file that --errors writes. */
const MOST_SHOWN = 10;

export const importUsers: Command = {
  flags,
  help: `CSV needs a first row that names the fields, and one of them has to be name. Commas, semicolons or tabs stand between
the cells. A cell is JSON where it is JSON (3, true, [1,2]), and text where it is not. A line that is refused stops no
other; the exit code is 1 then. One that is cut off can be repeated whole, with the key that it says.

Options:
${describeFlags(flags)}
Examples:
  roster users import people.csv
  roster users import people.ndjson --errors refused.ndjson
  jq -c '.[]' people.json | roster users import -
`,

  async run(args, context) {
    const { file, format, key, errors, json, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users import --help",
    );
    const stdin = file === "-";
    const isFile = !stdin && isReadable(file);
    if (errors !== undefined && resolve(errors) === resolve(file)) {
      throw new ConfigError(`${file} is what is imported: name another file with --errors.`);
    }
    const bytes: AsyncIterable<Uint8Array> = stdin ? bytesOf(context.stdin) : createReadStream(file);
    const form = resolveFormat(file, format);
    const client = openClient(service);
    const refused = new Refused(context.stderr, errors);
    const importing = client.users.import(form === "ndjson" ? unlessArray(bytes, file) : bytes, {
      format: form,
      ...(key !== undefined && { idempotencyKey: key }),
    });
    const again = `To go on without making anybody twice, run the same command${stdin ? " on the same input" : ""}${
      key === undefined ? ` with --idempotency-key ${importing.idempotencyKey}` : " again"
    }.`;
    const progress = new Progress(context.stderr);
    // What is no file of its own, as with <(…), can be read a single time.
    const total = isFile ? await countLines(file) : 0;
    const start = performance.now();
    let created = 0;
    let line = 0;
    onInterrupt(context.stderr, `Interrupted. ${again}`);
    try {
      for await (const outcome of importing) {
        line = outcome.line;
        if (outcome.problem) refused.add(outcome);
        else created++;
        if (json) context.stdout.write(`${JSON.stringify(outcome)}\n`);
        progress.show({ step: "importing", done: line, total });
      }
    } catch (error) {
      progress.end();
      const mayHaveBegun = line > 0 || error instanceof NetworkError || error instanceof TimeoutError;
      const where = line > 0 ? `after line ${line}` : "before any line was answered";
      if (mayHaveBegun) print(context.stderr, `It ended ${where}. ${again}`);
      throw error;
    } finally {
      progress.end();
      await refused.close();
    }
    const seconds = (performance.now() - start) / 1000;
    tellSummary(context, json, { created, refused: refused.count, seconds });
    if (refused.count > 0) process.exitCode = exitCodes.failed.code;
  },
};

/** What was refused: the first few for whoever watches, all of them for the file. */
class Refused {
  count = 0;
  readonly #file: ReturnType<typeof createWriteStream> | undefined;
  #unwritten: string | undefined;

  /** Fails with a `ConfigError` where the file cannot be written. */
  constructor(
    readonly stderr: Screen,
    readonly path: string | undefined,
  ) {
    if (path === undefined) return;
    beginFile(path);
    this.#file = createWriteStream(path);
    this.#file.on("error", (error) => {
      this.#unwritten ??= error.message;
    });
  }

  add(outcome: ImportedLine & FailedLine): void {
    this.count++;
    this.#file?.write(`${JSON.stringify(outcome)}\n`);
    if (this.count > MOST_SHOWN) return;
    if (this.stderr.isTTY) this.stderr.write("\r\u001b[K");
    print(this.stderr, `line ${outcome.line}: ${describeProblem(outcome.problem)}`);
  }

  async close(): Promise<void> {
    const more = this.count - MOST_SHOWN;
    if (more > 0) {
      const where =
        this.path === undefined ? "--errors FILE writes them all" : `they are all in ${this.path}`;
      print(this.stderr, `… and ${more.toLocaleString("en")} more: ${where}.`);
    }
    await new Promise<void>((resolve) => {
      // One that failed has been closed already.
      if (this.#file && !this.#file.closed) this.#file.once("close", resolve).end();
      else resolve();
    });
    if (this.#unwritten !== undefined) print(this.stderr, `${this.path} is not whole (${this.#unwritten}).`);
  }
}

/** Before anybody is made: whoever asks for the file would have to do without it. */
function beginFile(path: string): void {
  try {
    writeFileSync(path, "");
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new ConfigError(`Nothing can be written to ${path} (${message}): name another file with --errors.`);
  }
}

/** Whether it is a file of its own. Fails with a `ConfigError` where nothing can be read from it. */
function isReadable(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there) throw new ConfigError(`There is no file ${path}.`);
  if (there.isDirectory()) throw new ConfigError(`${path} is a folder: name a file in it.`);
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new ConfigError(`This user may not read ${path}.`);
  }
  return there.isFile();
}

/** The same bytes. Fails with a `ConfigError` where they are one JSON array, of which no line is a user. */
async function* unlessArray(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  let begun = false;
  for await (const bytes of source) {
    const text: string = begun ? "" : new TextDecoder().decode(bytes.subarray(0, 1024)).trimStart();
    if (text.startsWith("[")) {
      const what = file === "-" ? "What stdin has" : file;
      throw new ConfigError(
        `${what} is one JSON array, and users are read one a line: jq -c '.[]' makes lines of it.`,
      );
    }
    begun ||= text !== "";
    yield bytes;
  }
}

function tellSummary(
  { stdout, stderr }: CommandContext,
  json: boolean,
  { created, refused, seconds }: { created: number; refused: number; seconds: number },
): void {
  const figure = (value: number) => Math.round(value).toLocaleString("en");
  const made = `${figure(created)} ${created === 1 ? "user" : "users"}`;
  // Of less, it would say how long a call takes.
  const rate = seconds >= 0.5 ? `, ${figure((created + refused) / seconds)} a second` : "";
  print(
    json ? stderr : stdout,
    `Created ${made}, refused ${figure(refused)} (${seconds.toFixed(1)} s${rate}).`,
  );
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path)) {
    const bytes: Uint8Array = chunk;
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  }
  return lines;
}

async function* bytesOf(input: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
