import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ApiError } from "../../client/index.ts";
import { ConfigError, readFlags } from "../../config/config.ts";
import type { Command, CommandContext } from "../command.ts";
import { describeError } from "../describe-error.ts";
import { openEditor } from "../editor.ts";
import { exitCodeFor } from "../exit-codes.ts";
import { fail } from "../fail.ts";
import { oneRecordOutputFlags } from "../flags/output-flag.ts";
import { parseFields } from "../flags/record-flags.ts";
import { openClient, serviceFlags } from "../flags/service-flags.ts";
import { splitFlags } from "../flags/split-flags.ts";
import { print } from "../output/print.ts";
import { printChangedRecord } from "../output/print-records.ts";
import { printable } from "../output/printable.ts";
import { shellQuote } from "../output/shell-quote.ts";
import { ask } from "../prompt.ts";
import type { RecordAccess } from "./record-access.ts";
import type { AnyRecord, RecordKind } from "./record-kind.ts";

/** Changes one record in the editor of the person. */
export function editCommand<Item extends AnyRecord, Input, Patch, Word>(
  access: RecordAccess<Item, Input, Patch, Word>,
  examples: readonly string[],
): Command {
  const { one, many } = access.kind;
  const flags = { word: access.flag, ...oneRecordOutputFlags, ...serviceFlags };
  return {
    flags,
    description: `Opens the ${one} as JSON in the editor of VISUAL or EDITOR, and replaces the ${one} with the text that you save. To cancel,
leave the text unchanged or empty. If the ${one} has changed since, or the text is invalid, nothing is changed: your text
stays in a file, and the command says how to continue.`,
    examples,

    async run(args, context) {
      const { word, output, columns, ...service } = readFlags(
        flags,
        args,
        context.env,
        `roster ${many} edit --help`,
      );
      const client = openClient(service, context.env);
      const id = await access.findId(client, word);
      const calls = access.calls(client);
      const record = await calls.get(id);
      const file = new TextFile(access.kind, record);
      const { version } = record;
      const editing: Editing<Item> = {
        id,
        kind: access.kind,
        save: (text) => calls.replace(id, access.toInput(parseFields(text)), { ifMatch: version }),
        readVersion: async () => (await calls.get(id)).version,
      };
      const saved = await editUntilSaved(editing, file, context).catch((error) =>
        reportKept(editing, file.path, args, error, context),
      );
      file.remove();
      if (saved === "unchanged") print(context.stderr, "Nothing was changed.");
      else {
        const changed = { kind: access.kind, id, record: saved.record };
        await printChangedRecord(context.stdout, changed, { output, columns });
      }
    },
  };
}

/** The record that a person edits. */
interface Editing<Item> {
  readonly id: number;
  readonly kind: RecordKind;
  /** Replaces the record with the text, if it still has the version that was opened. */
  save(text: string): Promise<Item | undefined>;
  /** The version that the record has now. */
  readVersion(): Promise<number>;
}

/** A record in a file that only this person can read. */
class TextFile {
  readonly path: string;
  readonly original: string;

  constructor({ one, fields }: RecordKind, record: AnyRecord) {
    this.path = join(mkdtempSync(join(tmpdir(), "roster-edit-")), `${one}-${record.id}.json`);
    const written = Object.entries(record).filter(([field]) => !fields.isManaged(field));
    this.original = `${JSON.stringify(Object.fromEntries(written), undefined, 2)}\n`;
    writeFileSync(this.path, this.original, { mode: 0o600 });
  }

  read(): string {
    return readFileSync(this.path, "utf8");
  }

  remove(): void {
    rmSync(dirname(this.path), { recursive: true, force: true });
  }
}

/** Opens the editor until the text is saved, or the person gives up: then throws the error of the last attempt. */
async function editUntilSaved<Item>(
  { save }: Editing<Item>,
  file: TextFile,
  context: CommandContext,
): Promise<"unchanged" | { record: Item | undefined }> {
  for (;;) {
    await openEditor(file.path, context.env);
    const text = file.read();
    if (text === file.original || text.trim() === "") return "unchanged";
    try {
      return { record: await save(text) };
    } catch (error) {
      if (!isCorrectable(error) || !context.stdin.isTTY || !context.stderr.isTTY) throw error;
      print(context.stderr, printable(describeError(error)));
      if (!(await ask(context, "Edit the text again? [Y/n]", true))) throw error;
    }
  }
}

/** Whether another text can be saved. */
function isCorrectable(error: unknown): boolean {
  if (error instanceof ConfigError) return true;
  return error instanceof ApiError && [400, 409, 413, 422].includes(error.status);
}

/** Says where the text is and how to continue, and ends the process. */
async function reportKept<Item>(
  { id, kind: { one, many }, readVersion }: Editing<Item>,
  path: string,
  args: readonly string[],
  error: unknown,
  { stderr }: CommandContext,
): Promise<never> {
  const code = exitCodeFor(error);
  if (code === undefined) throw error;
  print(stderr, printable(describeError(error)));
  const isConflict = error instanceof ApiError && error.status === 412;
  const version = isConflict ? await readVersion() : undefined;
  const options = splitFlags({ ...oneRecordOutputFlags, ...serviceFlags }, args).own;
  const command = (...words: string[]) => `  ${words.map(shellQuote).join(" ")}`;
  const ifVersion = version === undefined ? [] : ["--if-version", String(version)];
  if (isConflict) {
    print(stderr, `To see the ${one} as it is now:`);
    stderr.write(`${command("roster", many, "get", String(id), ...options)}\n`);
  }
  print(stderr, "Your text is in a file. To save it:");
  const replace = command("roster", many, "replace", String(id), "-", ...ifVersion, ...options);
  stderr.write(`${replace} < ${shellQuote(path)}\n`);
  fail(`The ${one} was not changed.`, code);
}
