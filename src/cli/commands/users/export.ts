import { closeSync, openSync, statSync, writeSync } from "node:fs";
import type { BulkFormat, Client, ExportOptions } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config/config.ts";
import { formatFieldPath } from "../../../domain/field-path.ts";
import { FileExistsError, fileError, PartialFile } from "../../../store/partial-file.ts";
import type { Command } from "../../command.ts";
import { forceFlag } from "../../flags/file-flag.ts";
import { formatFlag, rejectOtherFormat, resolveFormat } from "../../flags/format-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { searchFlags, toSearch, viewFlags } from "../../flags/user-flags.ts";
import { onInterrupt } from "../../interrupt.ts";
import { UserCounter } from "../../output/count-lines.ts";
import { printSuccess } from "../../output/print.ts";
import { Progress } from "../../output/progress.ts";

const flags = {
  file: {
    flag: "file",
    form: "word",
    default: "-",
    takes: "the path of a file, or -",
    about: "The file to write. Default: stdout.",
    parse: (text: string) => text,
  },
  ...searchFlags,
  ...viewFlags,
  format: formatFlag,
  force: forceFlag,
  ...serviceFlags,
} as const;

export const exportUsers: Command = {
  flags,
  description: `Exports all matching users. FILE appears only when the export is complete. roster users import accepts the result.
In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe. The import removes it. If the users have more than 1000 different custom fields, the column _more has the rarest ones as JSON.`,
  examples: [
    "roster users export users.csv",
    "roster users export --where plan=pro --sort name | jq -r .email",
    `roster users export team.csv --filter 'manager.id eq 7' --fields id,name`,
    "roster users export | head -1",
  ],

  async run(args, { env, stdout, stderr }) {
    const { file, q, where, filter, sort, fields, format, force, ...service } = readFlags(
      flags,
      args,
      env,
      "roster users export --help",
    );
    if (file !== "-") checkFile(file, force, format);
    const client = openClient(service, env);
    const search = toSearch({ q, where, filter });
    const options = { ...search, sort, ...(fields && { fields: fields.map(formatFieldPath) }) };
    const resolvedFormat = resolveFormat(file, format);
    const open = () => client.users.export(options).stream(resolvedFormat);
    if (file === "-") return await pipe(await open(), (bytes) => stdout.write(bytes) || stdout.drained());
    const start = performance.now();
    const progress = new Progress(stderr);
    const part = new PartialFile(file);
    onInterrupt(stderr, () => {
      part.discard();
      return `Interrupted. Nothing was written to ${file}.`;
    });
    try {
      const stream = await open();
      const total = stderr.isTTY ? await countUsers(client, search) : 0;
      const counter = new UserCounter(resolvedFormat);
      const target = openSync(part.path, "w");
      try {
        await pipe(stream, (bytes) => {
          writeAll(target, bytes, file);
          progress.show({ step: "exporting", done: counter.add(bytes), total, unit: "users" });
        });
      } finally {
        closeSync(target);
      }
      part.finish(force);
    } finally {
      part.discard();
      progress.end();
    }
    const seconds = (performance.now() - start) / 1000;
    printSuccess(
      stdout,
      `Wrote ${file} (${statSync(file).size.toLocaleString("en")} bytes) in ${seconds.toFixed(1)} s.`,
    );
  },
};

/** Runs before any request. Throws a `ConfigError` or a `FileExistsError`. */
function checkFile(file: string, force: boolean, format: BulkFormat | undefined): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) {
    throw new ConfigError(`${file} is not a file: choose another name, or - for stdout.`);
  }
  if (stats && !force) throw new FileExistsError(file);
  if (format === undefined) rejectOtherFormat(file);
}

async function pipe(
  stream: ReadableStream<Uint8Array>,
  write: (bytes: Uint8Array) => unknown,
): Promise<void> {
  for await (const bytes of stream) await write(bytes);
}

/** Loops because a nearly full disk may write only some of the bytes. Throws a `StoreError`. */
function writeAll(target: number, bytes: Uint8Array, file: string): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(target, bytes, at);
  } catch (error) {
    throw fileError(error, file);
  }
}

async function countUsers(client: Client, search: ExportOptions): Promise<number> {
  const { total } = await client.users.list({ ...search, limit: 1 }).page({ count: true });
  return total && !total.capped ? total.count : 0;
}
