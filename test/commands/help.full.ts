import { expect, setDefaultTimeout, test } from "bun:test";
import { commands } from "../../src/cli/commands.ts";
import { listSettings } from "../../src/config/settings.ts";
import { runRoster, temporaryFolder } from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";
import { expectError } from "./support/commands.ts";

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

test("a word of other command lines ends with code 2 and names the command", async () => {
  for (const [words, says] of [
    [
      ["users", "search", "ada"],
      "users search. Did you mean roster users list --q ada? See roster users --help.",
    ],
    [
      ["users", "search", "ada", "king", "--limit=3"],
      "users search. Did you mean roster users list --q 'ada king'? See roster users --help.",
    ],
    [["users", "search"], "users search. Did you mean roster users list --q WORDS? See roster users --help."],
    [["search", "ada"], "search. Did you mean roster users list --q ada? See roster --help."],
    [["keys", "search", "ci"], "keys search. See roster keys --help."],
    [["users", "ls"], "users ls. Did you mean users list? See roster users --help."],
    [["users", "add"], "users add. Did you mean users create? See roster users --help."],
    [["users", "show", "7"], "users show. Did you mean users get? See roster users --help."],
    [["users", "rm", "7"], "users rm. Did you mean users delete? See roster users --help."],
    [["keys", "rm", "7"], "keys rm. Did you mean keys revoke? See roster keys --help."],
    [["users", "constructor"], "users constructor. See roster users --help."],
  ] as const) {
    const ran = await runRoster(words);
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: `roster: Unknown command ${says}\n` });
  }
});

test("-o is --output in every command that has it, and help shows both", async () => {
  const folder = temporaryFolder();
  const run = (...args: string[]) => runRoster(args, { cwd: folder });
  expect(await run("profiles", "-o", "json")).toMatchObject({ code: 0, stdout: "[]\n" });
  expect(await run("config", "-o", "json")).toEqual(await run("config", "--output=json"));
  expect(await run("config", "-ojson", "--port", "4000")).toEqual(
    await run("config", "--output=json", "--port=4000"),
  );
  expect((await run("users", "list", "--help")).stdout).toContain("\n  -o, --output ");
  for (const [args, says] of [
    [["users", "list", "-o", "users.csv"], "--output=users.csv is invalid. Use table, json, ndjson, or csv."],
    [["users", "list", "-o", "users.csv"], "To write to a file, add > FILE."],
    [["users", "list", "-o"], "--output needs a value. See roster users list --help."],
    [["users", "export", "-o", "users.csv"], "-o. To write to a file: roster users export FILE. See"],
    [["backup", "-o", "copy.db"], "-o. To write to a file: roster backup FILE. See"],
    [["openapi", "-o", "openapi.json"], "-o. To write to a file: roster openapi > FILE. See"],
  ] as const) {
    expectError(await run(...args), 2, says);
  }
});
