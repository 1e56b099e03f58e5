import { createReadStream, createWriteStream, existsSync } from "node:fs";
import type { ImportedLine, RefusedLine } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config.ts";
import { formatFlag, formatOf } from "../../bulk-flags.ts";
import { type Command, describeFlags, type Screen, type Surroundings } from "../../command.ts";
import { describeProblem, exitCodes } from "../../exit-codes.ts";
import { Progress } from "../../progress.ts";
import { openClient, serviceFlags } from "../../service-flags.ts";
import { tell } from "../../tell.ts";
import { jsonFlag } from "../../user-flags.ts";

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
  usage: "roster users import FILE [options]",
  about: "Create many users, from a table or from JSON one a line.",
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

  async run(args, around) {
    const { file, format, key, errors, json, ...service } = readFlags(
      flags,
      args,
      around.env,
      "roster users import --help",
    );
    const stdin = file === "-";
    if (!stdin && !existsSync(file)) throw new ConfigError(`There is no file ${file}.`);
    const source: AsyncIterable<Uint8Array> = stdin ? bytesOf(around.stdin) : createReadStream(file);
    const importing = openClient(service).users.import(source, {
      format: formatOf(file, format),
      ...(key !== undefined && { idempotencyKey: key }),
    });
    const again = `roster users import ${file} --idempotency-key ${importing.idempotencyKey}`;
    const refused = new Refused(around.stderr, errors);
    const progress = new Progress(around.stderr);
    const total = stdin ? 0 : await countLines(file);
    const start = performance.now();
    let created = 0;
    let line = 0;
    try {
      for await (const outcome of importing) {
        line = outcome.line;
        if (outcome.problem) refused.add(outcome);
        else created++;
        if (json) around.stdout.write(`${JSON.stringify(outcome)}\n`);
        progress.show({ step: "importing", done: line, total });
      }
    } catch (error) {
      progress.end();
      const how = stdin ? `the same input and --idempotency-key ${importing.idempotencyKey}` : again;
      tell(around.stderr, `It ended after line ${line}. To go on without making anybody twice: ${how}`);
      throw error;
    } finally {
      progress.end();
      await refused.close();
    }
    const seconds = (performance.now() - start) / 1000;
    tellSummary(around, json, { created, refused: refused.count, seconds });
    if (refused.count > 0) process.exitCode = exitCodes.failed.code;
  },
};

/** What was refused: the first few for whoever watches, all of them for the file. */
class Refused {
  count = 0;
  readonly #file: ReturnType<typeof createWriteStream> | undefined;

  constructor(
    readonly stderr: Screen,
    readonly path: string | undefined,
  ) {
    this.#file = path === undefined ? undefined : createWriteStream(path);
  }

  add(outcome: ImportedLine & RefusedLine): void {
    this.count++;
    this.#file?.write(`${JSON.stringify(outcome)}\n`);
    if (this.count > MOST_SHOWN) return;
    if (this.stderr.isTTY) this.stderr.write("\r\u001b[K");
    tell(this.stderr, `line ${outcome.line}: ${describeProblem(outcome.problem)}`);
  }

  async close(): Promise<void> {
    const more = this.count - MOST_SHOWN;
    if (more > 0 && this.path === undefined) {
      tell(this.stderr, `… and ${more.toLocaleString("en")} more: --errors FILE writes them all.`);
    }
    await new Promise<void>((resolve) => (this.#file ? this.#file.end(resolve) : resolve()));
  }
}

function tellSummary(
  { stdout, stderr }: Surroundings,
  json: boolean,
  { created, refused, seconds }: { created: number; refused: number; seconds: number },
): void {
  const figure = (value: number) => Math.round(value).toLocaleString("en");
  const rate = `${seconds.toFixed(1)} s, ${figure((created + refused) / seconds)} a second`;
  tell(json ? stderr : stdout, `Created ${figure(created)} users, refused ${figure(refused)} (${rate}).`);
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
