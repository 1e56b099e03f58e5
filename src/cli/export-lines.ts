import { closeSync, openSync, statSync, writeSync } from "node:fs";
import type { BulkFormat } from "../client/index.ts";
import { ConfigError } from "../config/config.ts";
import { FileExistsError, fileError, PartialFile } from "../store/partial-file.ts";
import type { CommandContext } from "./command.ts";
import { rejectOtherFormat, resolveFormat } from "./flags/format-flag.ts";
import { onInterrupt } from "./interrupt.ts";
import { LineCounter } from "./output/count-lines.ts";
import { printSuccess } from "./output/print.ts";
import { Progress } from "./output/progress.ts";

/** An export of users, groups or memberships. */
interface LineExport {
  readonly many: "users" | "groups" | "memberships";
  /** The flags of the command. `-` is stdout. */
  readonly file: string;
  readonly format: BulkFormat | undefined;
  readonly force: boolean;
  open(format: BulkFormat): Promise<ReadableStream<Uint8Array>>;
  /** How many lines there will be; 0 if that is not known. */
  count(): Promise<number>;
}

/** Writes an export to stdout, or to a file that appears when the export is complete. Shows the progress. */
export async function exportLines(
  { many, file, format, force, open, count }: LineExport,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  const resolvedFormat = resolveFormat(file, format);
  if (file === "-") {
    return await pipe(await open(resolvedFormat), (bytes) => stdout.write(bytes) || stdout.drained());
  }
  const start = performance.now();
  const progress = new Progress(stderr);
  const part = new PartialFile(file);
  const ignoreInterrupts = onInterrupt(stderr, () => {
    part.discard();
    return `Interrupted. Nothing was written to ${file}.`;
  });
  try {
    const stream = await open(resolvedFormat);
    const total = stderr.isTTY ? await count() : 0;
    const counter = new LineCounter(resolvedFormat);
    const target = openSync(part.path, "w");
    try {
      await pipe(stream, (bytes) => {
        writeAll(target, bytes, file);
        progress.show({ step: "exporting", done: counter.add(bytes), total, unit: many });
      });
    } finally {
      closeSync(target);
    }
    part.finish(force);
  } finally {
    part.discard();
    progress.end();
    ignoreInterrupts();
  }
  const seconds = (performance.now() - start) / 1000;
  printSuccess(
    stdout,
    `Wrote ${file} (${statSync(file).size.toLocaleString("en")} bytes) in ${seconds.toFixed(1)} s.`,
  );
}

/** Runs before any request. Throws a `ConfigError` or a `FileExistsError`. */
export function checkExportFile({
  file,
  force,
  format,
}: Pick<LineExport, "file" | "force" | "format">): void {
  if (file === "-") return;
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
