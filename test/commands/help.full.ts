import { expect, setDefaultTimeout, test } from "bun:test";
import { commands } from "../../src/cli/commands.ts";
import { listSettings } from "../../src/config/settings.ts";
import { runRoster } from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";

setDefaultTimeout(120_000);

test("roster help, --help and -h list every command before the options, and no setting of the service", async () => {
  const help = await runRoster(["help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  const lines = help.stdout.split("\n");
  const lineOf = (word: string) => lines.findIndex((line) => line.startsWith(`  ${word} `));
  for (const name of Object.keys(commands)) {
    expect({ name, listed: lineOf(name) > 0 }).toEqual({ name, listed: true });
    expect(lineOf(name)).toBeLessThan(lineOf("-h, --help"));
  }
  for (const [, { env }] of listSettings()) expect(help.stdout).not.toContain(env);
  expect(await runRoster(["--help"])).toEqual(help);
  expect(await runRoster(["-h"])).toEqual(help);
});

test("roster help COMMAND prints the same as --help", async () => {
  for (const words of [["serve"], ["users"], ["users", "list"]]) {
    const help = await runRoster(["help", ...words]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toStartWith(`roster ${words.join(" ").replace("serve", "[serve]")} `);
    expect(await runRoster([...words, "--help"])).toEqual(help);
  }
});

test.each([40, 80, 140])("help fits a terminal of %d columns, except commands to copy", async (columns) => {
  for (const words of [[], ["users"], ["users", "list"], ["serve"]]) {
    const { code, screen } = await runOnTerminal(["help", ...words], { columns });
    expect(code).toBe(0);
    const [text = ""] = screen.split("Examples:");
    // A single word, such as the name of a variable, cannot be wrapped.
    const lines = text.split("\n").filter((line) => line.trim().includes(" "));
    const tooLong = lines.filter((line) => line.length > Math.min(columns, 100));
    expect(tooLong).toEqual([]);
  }
});

test("an unknown command of help ends with code 2 and a suggestion", async () => {
  for (const [words, says] of [
    [["user"], "Unknown command user. Did you mean users? See roster --help."],
    [["users", "list", "more"], "Unexpected argument 'more'. See roster help."],
  ] as const) {
    const ran = await runRoster(["help", ...words]);
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: `roster: ${says}\n` });
  }
});
