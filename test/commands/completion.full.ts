import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandEntry } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { shells } from "../../src/cli/completion-script.ts";
import { runCommand, runRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { runInTerminal } from "../support/process/terminal.ts";
import { requireProgram } from "../support/requirements.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

let folder: string;

/** The typed line, and the line after Tab; the same if omitted. */
const typed: [string, string?][] = [
  ["roster us", "roster users"],
  ["roster users l", "roster users list"],
  ["roster help us", "roster help users"],
  ["roster help users li", "roster help users list"],
  ["roster users edit 7 --prof", "roster users edit 7 --profile"],
  ["roster login --u", "roster login --url"],
  ["roster users list --li", "roster users list --limit"],
  ["roster users list --limit "],
  ["roster users list --limit 5 --ou", "roster users list --limit 5 --output"],
  ["roster users list --output nd", "roster users list --output ndjson"],
  ["roster users list -o nd", "roster users list -o ndjson"],
  ["roster login https://users.example --prof", "roster login https://users.example --profile"],
  ["roster users list --sort na", "roster users list --sort name"],
  ["roster users list --sort=-cr", "roster users list --sort=-createdAt"],
  ["roster gr", "roster groups"],
  ["roster groups mem", "roster groups members"],
  ["roster groups members sales --ex", "roster groups members sales --explain"],
  ["roster groups list --sort -mem", "roster groups list --sort -memberCount"],
  ["roster groups import cert", "roster groups import certificate.pem"],
  ["roster groups import x.csv --match na", "roster groups import x.csv --match name"],
  ["roster users update 7 --add", "roster users update 7 --add-to-group"],
  ["roster keys create --scope users:w", "roster keys create --scope users:write"],
  ["roster keys create --scope sci", "roster keys create --scope scim"],
  ["roster keys create --name ci --scope=keys", "roster keys create --name ci --scope=keys:manage"],
  ["roster --auth req", "roster --auth required"],
  ["roster serve --log-fo", "roster serve --log-format"],
  ["roster completion f", "roster completion fish"],
  ["roster --tls-cert cert", "roster --tls-cert certificate.pem"],
  ["roster users get cert"],
  ["roster users import cert", "roster users import certificate.pem"],
];

beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(join(folder, "certificate.pem"), "");
  await Promise.all(
    shells.map(async (shell) => {
      const { code, stdout, stderr } = await runRoster(["completion", shell]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const path = { bash: "roster.bash", zsh: "functions/_roster", fish: "roster.fish" }[shell];
      mkdirSync(join(folder, "functions"), { recursive: true });
      writeFileSync(join(folder, path), stdout);
    }),
  );
});

/** The line after Tab in an interactive shell. */
async function completedIn(shell: readonly string[], setup: string, line: string): Promise<string> {
  // Ctrl+A and Ctrl+E wrap the line in a printf, to print it instead of running it.
  const { screen } = await runInTerminal(shell, {
    cwd: folder,
    columns: 200,
    env: { HOME: folder, PS1: "> ", HISTFILE: "" },
    typing: [
      ["> ", `${setup}; echo rea''dy\n`],
      ["ready", `${line}\t`],
      // The shell completes before it reads more input.
      [line, "\u0001printf '<<%s>>' '\u0005'; exit\n"],
    ],
  });
  return /<<(roster[^>]*)>>/.exec(screen)?.[1]?.trimEnd() ?? screen;
}

/** The completions that bash gets for a line: words, or "files". */
async function offeredByBash(line: string): Promise<string> {
  const script = `source ./roster.bash; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; compopt() { echo files; }; _roster; echo "\${COMPREPLY[@]}"`;
  return (await runCommand(["bash", "--norc", "-c", script], { cwd: folder })).stdout.trim();
}

requireProgram("bash").describe("bash", () => {
  test.each(typed)("completes %j", async (line, expected = line) => {
    const offered = await offeredByBash(line);
    if (expected.endsWith(".pem")) expect(offered).toBe("files");
    else if (expected === line) expect(offered).toBe("");
    // bash replaces the text after the last space, = or :.
    else expect(line.replace(/[^\s=:]*$/, offered)).toBe(expected);
  });

  test("suggests options after a dash, or if nothing else fits", async () => {
    expect(await offeredByBash("roster ")).toBe(Object.keys(commands).join(" "));
    expect(await offeredByBash("roster users import ")).toBe("files");
    expect(await offeredByBash("roster completion ")).toBe(shells.join(" "));
    expect(await offeredByBash("roster completion -")).toBe("--help");
    expect(await offeredByBash("roster users get ")).toStartWith("--output ");
  });

  test("completes typed input", async () => {
    const shell = ["bash", "--norc", "--noprofile", "-i"];
    const line = "roster keys create --scope=users:r";
    expect(await completedIn(shell, "source ./roster.bash", line)).toBe(
      "roster keys create --scope=users:read",
    );
    const file = "roster --tls-cert cert";
    expect(await completedIn(shell, "source ./roster.bash", file)).toBe("roster --tls-cert certificate.pem");
  });
});

requireProgram("zsh").describe("zsh", () => {
  const setup = "fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -D";
  test.each(typed)("completes %j", async (line, expected = line) => {
    expect(await completedIn(["zsh", "-f", "-i"], setup, line)).toBe(expected.trimEnd());
  });

  test("works with source too", async () => {
    const sourced = "autoload -Uz compinit; compinit -D; source functions/_roster";
    expect(await completedIn(["zsh", "-f", "-i"], sourced, "roster users l")).toBe("roster users list");
  });
});

requireProgram("fish").describe("fish", () => {
  test("completes all lines", async () => {
    const script = typed.map(([line]) => `echo "> ${line}"; complete -C "${line}"`).join("; ");
    const command = ["fish", "--no-config", "-c", `source roster.fish; ${script}`];
    const { stdout } = await runCommand(command, { cwd: folder, env: { HOME: folder } });
    const outputs = stdout.split(/^> /m).slice(1);
    const completed = outputs.map((output) => {
      const [line = "", ...offers] = output.trimEnd().split("\n");
      const [word] = offers.map((offer) => offer.split("\t")[0]);
      return [line.trimEnd(), word === undefined ? line.trimEnd() : line.replace(/\S*$/, word)];
    });
    expect(completed).toEqual(typed.map(([line, expected = line]) => [line.trimEnd(), expected.trimEnd()]));
  });
});

test("every script has all commands and flags, and no flag for a secret", async () => {
  for (const shell of shells) {
    const { stdout } = await runRoster(["completion", shell]);
    for (const [name, { load, commands: below = {} }] of Object.entries<CommandEntry>(commands)) {
      const { flags = {} } = await load();
      for (const word of [name, ...Object.keys(below)]) expect(stdout).toContain(word);
      for (const { flag, form } of Object.values(flags)) {
        if (flag === undefined || form === "word" || form === "words") continue;
        expect(stdout).toContain(shell === "fish" ? `-l ${flag}` : `--${flag}`);
      }
    }
    expect(stdout).not.toContain("api-key");
  }
});

test("the shell is required and must be known", async () => {
  expect(await runRoster(["completion"])).toMatchObject({ code: 2, stdout: "" });
  const { code, stderr } = await runRoster(["completion", "powershell"]);
  expect(code).toBe(2);
  expect(stderr).toBe("roster: SHELL=powershell is invalid. Use bash, zsh, or fish.\n");
});
