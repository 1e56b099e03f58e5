import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { Client, ExportOptions } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config.ts";
import { formatFlag, formatOf } from "../../bulk-flags.ts";
import { type Command, describeFlags } from "../../command.ts";
import { Progress } from "../../progress.ts";
import { openClient, serviceFlags } from "../../service-flags.ts";
import { tell } from "../../tell.ts";
import { searchFlags, searchOf, switchFlag } from "../../user-flags.ts";

const flags = {
  file: {
    flag: "file",
    form: "word",
    default: "-",
    takes: "the path of a file, or -",
    about: "Where to write them; stdout, if nothing is said.",
    parse: (text: string) => text,
  },
  ...searchFlags,
  format: formatFlag,
  force: switchFlag("force", "Write over a file that is there."),
  ...serviceFlags,
} as const;

export const exportUsers: Command = {
  usage: "roster users export [FILE] [options]",
  about: "Write every user, or those that are meant, as JSON one a line or as a table.",
  flags,
  help: `All of them, however many. A file has its name only when it is whole. What roster users import takes, this writes:
formulas in a table are marked with an apostrophe, so that no spreadsheet runs them, and read back without.

Options:
${describeFlags(flags)}
Examples:
  roster users export users.csv
  roster users export --where plan=pro --sort name | jq -r .email
  roster users export | head -1
`,

  async run(args, { env, stdout, stderr }) {
    const { file, q, where, sort, format, force, ...service } = readFlags(
      flags,
      args,
      env,
      "roster users export --help",
    );
    if (file !== "-" && existsSync(file) && !force) {
      throw new ConfigError(`${file} is there already: say --force to write over it.`);
    }
    const client = openClient(service);
    const search = searchOf({ q, where, sort });
    const stream = await client.users.export(search).stream(formatOf(file, format));
    if (file === "-") return await pipe(stream, (bytes) => process.stdout.write(bytes) || drained());
    const progress = new Progress(stderr);
    const total = stderr.isTTY ? await countOf(client, search) : 0;
    const start = performance.now();
    let users = 0;
    const part = `${file}.part`;
    const target = await open(part, "w", 0o600);
    try {
      await pipe(stream, async (bytes) => {
        await target.write(bytes);
        users += newlinesIn(bytes);
        progress.show({ step: "exporting", done: users, total });
      });
      await target.sync();
      await target.close();
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    } finally {
      progress.end();
    }
    const seconds = (performance.now() - start) / 1000;
    tell(
      stdout,
      `Wrote ${file} (${(await sizeOf(file)).toLocaleString("en")} bytes) in ${seconds.toFixed(1)} s.`,
    );
  },
};

async function pipe(
  stream: ReadableStream<Uint8Array>,
  write: (bytes: Uint8Array) => unknown,
): Promise<void> {
  for await (const bytes of stream) await write(bytes);
}

/** Whoever reads slower than we write is waited for. */
function drained(): Promise<void> {
  return new Promise((resolve) => process.stdout.once("drain", resolve));
}

async function countOf(client: Client, search: ExportOptions): Promise<number> {
  const { total } = await client.users.list({ ...search, limit: 1 }).page({ count: true });
  return total && !total.capped ? total.count : 0;
}

function newlinesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}

async function sizeOf(path: string): Promise<number> {
  return Bun.file(path).size;
}
