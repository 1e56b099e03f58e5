import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ApiError, type Client, type User } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config/config.ts";
import type { Command, CommandContext } from "../../command.ts";
import { describeError } from "../../describe-error.ts";
import { openEditor } from "../../editor.ts";
import { exitCodeFor } from "../../exit-codes.ts";
import { fail } from "../../fail.ts";
import { userOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { idFlag, parseFields, toUserInput } from "../../flags/user-flags.ts";
import { print } from "../../output/print.ts";
import { printChangedUser } from "../../output/print-users.ts";
import { printable } from "../../output/printable.ts";
import { shellQuote } from "../../output/shell-quote.ts";
import { ask } from "../../prompt.ts";

const flags = { id: idFlag, ...userOutputFlags, ...serviceFlags } as const;

export const edit: Command = {
  flags,
  description: `Opens the user as JSON in the editor of VISUAL or EDITOR, and replaces the user with the text that you save. To cancel,
leave the text unchanged or empty. If the user has changed since, or the text is invalid, nothing is changed: your text
stays in a file, and the command says how to continue.`,
  examples: ["roster users edit 7", 'EDITOR="code --wait" roster users edit 7'],

  async run(args, context) {
    const { id, output, columns, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users edit --help",
    );
    const { users } = openClient(service, context.env);
    const user = await users.get(id);
    const file = new TextFile(user);
    const saved = await editUntilSaved(users, user, file, context).catch((error) =>
      reportKept(users, id, file.path, args, error, context),
    );
    file.remove();
    if (saved === "unchanged") print(context.stderr, "Nothing was changed.");
    else await printChangedUser(context.stdout, id, saved.user, { output, columns });
  },
};

/** The record of a user in a file that only this person can read. */
class TextFile {
  readonly path: string;
  readonly original: string;

  constructor({ id, version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...record }: User) {
    this.path = join(mkdtempSync(join(tmpdir(), "roster-edit-")), `user-${id}.json`);
    this.original = `${JSON.stringify(record, undefined, 2)}\n`;
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
async function editUntilSaved(
  users: Client["users"],
  { id, version }: User,
  file: TextFile,
  context: CommandContext,
): Promise<"unchanged" | { user: User | undefined }> {
  for (;;) {
    await openEditor(file.path, context.env);
    const text = file.read();
    if (text === file.original || text.trim() === "") return "unchanged";
    try {
      return { user: await users.replace(id, toUserInput(parseFields(text)), { ifMatch: version }) };
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
async function reportKept(
  users: Client["users"],
  id: number,
  path: string,
  args: readonly string[],
  error: unknown,
  { stderr }: CommandContext,
): Promise<never> {
  const code = exitCodeFor(error);
  if (code === undefined) throw error;
  print(stderr, printable(describeError(error)));
  const isConflict = error instanceof ApiError && error.status === 412;
  const version = isConflict ? (await users.get(id)).version : undefined;
  const options = args.filter((arg) => arg !== String(id));
  const command = (...words: string[]) => `  ${words.map(shellQuote).join(" ")}`;
  const ifVersion = version === undefined ? [] : ["--if-version", String(version)];
  if (isConflict) {
    print(stderr, "To see the user as it is now:");
    stderr.write(`${command("roster", "users", "get", String(id), ...options)}\n`);
  }
  print(stderr, "Your text is in a file. To save it:");
  const replace = command("roster", "users", "replace", String(id), "-", ...ifVersion, ...options);
  stderr.write(`${replace} < ${shellQuote(path)}\n`);
  fail("The user was not changed.", code);
}
