import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { runOnTerminal } from "../../support/process/terminal.ts";

setDefaultTimeout(120_000);

const folder = temporaryFolder();
/** Where the command puts its files. */
const texts = join(folder, "texts");
let roster: Roster;

beforeAll(async () => {
  mkdirSync(texts);
  roster = await startRoster(join(folder, "roster.db"));
});
afterAll(stopAll);

/** An editor: a shell script that gets the path of the file as $1. */
function editor(script: string): { EDITOR: string } {
  const path = join(folder, `editor-${crypto.randomUUID()}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return { EDITOR: path };
}

const environment = (editorEnv: Record<string, string>) => ({
  ROSTER_URL: roster.url,
  TMPDIR: texts,
  ...editorEnv,
});

const edit = (id: number, editorEnv: Record<string, string>) =>
  runRoster(["users", "edit", String(id)], { env: environment(editorEnv) });

async function createUser(record: object): Promise<number> {
  const { id }: { id: number } = await (
    await roster.call("/api/users", { method: "POST", json: record })
  ).json();
  return id;
}

const read = async (id: number) => (await roster.call(`/api/users/${id}`)).json();

test("replaces the user with the saved text, and removes the file", async () => {
  const id = await createUser({ name: "Ada", level: 3, nothing: null });
  const copy = join(folder, "copy");
  const script = `cp "$1" ${copy}; ls -l "$1" > ${copy}.mode; sed -i.bak 's/"Ada"/"Ada King"/' "$1"`;
  const ran = await edit(id, editor(script));
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(readFileSync(copy, "utf8"))).toEqual({ name: "Ada", level: 3, nothing: null });
  expect(readFileSync(`${copy}.mode`, "utf8")).toStartWith("-rw-------");
  expect(JSON.parse(ran.stdout)).toMatchObject({ name: "Ada King", level: 3, nothing: null, version: 2 });
  expect(readdirSync(texts)).toEqual([]);
});

test("VISUAL wins over EDITOR, and both may have options", async () => {
  const id = await createUser({ name: "Ada" });
  const { EDITOR } = editor(`[ "$1" = --wait ] && echo '{"name":"By Visual"}' > "$2"`);
  const ran = await edit(id, { VISUAL: `${EDITOR} --wait`, EDITOR: "false" });
  expect(JSON.parse(ran.stdout).name).toBe("By Visual");
});

test("an unchanged or empty text changes nothing", async () => {
  const id = await createUser({ name: "Ada" });
  for (const script of ["true", ': > "$1"']) {
    const ran = await edit(id, editor(script));
    expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "Nothing was changed.\n" });
  }
  expect(await read(id)).toMatchObject({ version: 1 });
  expect(readdirSync(texts)).toEqual([]);
});

test("a user that changed in between stays, the text stays in a file, and the printed command saves it", async () => {
  const id = await createUser({ name: "Ada" });
  const change = shellCommand(["users", "update", String(id), "level=2"]);
  const ran = await edit(id, editor(`${change} > /dev/null; echo '{"name":"Mine"}' > "$1"`));
  expect(ran).toMatchObject({ code: 4, stdout: "" });
  const lines = ran.stderr.split("\n");
  expect(lines[0]).toStartWith(`User ${id} is at version 2 now.`);
  expect(lines.slice(1, 4)).toEqual([
    "To see the user as it is now:",
    `  roster users get ${id}`,
    "Your text is in a file. To save it:",
  ]);
  expect(lines[5]).toBe("roster: The user was not changed.");
  expect(await read(id)).toMatchObject({ name: "Ada", level: 2 });
  const [, path = ""] = /^ {2}roster users replace \d+ - --if-version 2 < (\S+)$/.exec(lines[4] ?? "") ?? [];
  expect(readFileSync(path, "utf8")).toBe('{"name":"Mine"}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const saved = await runCommand(["sh", "-c", `roster() { ${shellCommand([])} "$@"; }; ${lines[4]}`], {
    env: environment({}),
  });
  expect(saved.code).toBe(0);
  expect(await read(id)).toMatchObject({ name: "Mine", version: 3 });
});

test("an invalid text stays in a file, and an editor that fails changes nothing", async () => {
  const id = await createUser({ name: "Ada" });
  for (const [script, code, says] of [
    [`echo '{"name":' > "$1"`, 2, "The input is not a JSON object ("],
    [`echo '{"name":"Ada","email":"x"}' > "$1"`, 1, "Enter a valid email address"],
    [`echo '{"email":"ada@example.com"}' > "$1"`, 2, "Name is required"],
    ["exit 1", 2, "The editor failed: "],
  ] as const) {
    const ran = await edit(id, editor(script));
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toContain(says);
    const [, path = ""] = / < (\S+)\n/.exec(ran.stderr) ?? [];
    expect(existsSync(path)).toBe(true);
    expect(ran.stderr).toEndWith("\nroster: The user was not changed.\n");
  }
  expect(await read(id)).toMatchObject({ version: 1 });
});

test("on a terminal, offers to edit an invalid text again", async () => {
  const id = await createUser({ name: "Ada" });
  const count = join(folder, "count");
  // The first text is invalid. The second attempt reads the keyboard, like a real editor.
  const script = `if [ -e ${count} ]; then for word in one two three; do echo "$word?"; read line; done; echo "{\\"name\\":\\"$line\\"}" > "$1"; else touch ${count}; echo '[1]' > "$1"; fi`;
  const { code, screen } = await runOnTerminal(["users", "edit", String(id)], {
    env: environment(editor(script)),
    typing: [
      ["Edit the text again? [Y/n] ", "\r"],
      ["one?", "1\r"],
      ["two?", "2\r"],
      ["three?", "From the keyboard\r"],
    ],
  });
  expect(screen).toContain("The input is not a JSON object.");
  expect(code).toBe(0);
  expect(await read(id)).toMatchObject({ name: "From the keyboard" });
});
