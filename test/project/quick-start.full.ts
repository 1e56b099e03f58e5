import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { copySource } from "../support/copy-source.ts";
import { stopAll, temporaryFolder } from "../support/process/roster.ts";
import { quickStartBlock, quickStartOutput, runQuickStart } from "../support/quick-start.ts";
import { requireProgram } from "../support/requirements.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

describe("docs/quick-start.md prints what it promises", () => {
  test("in TypeScript, with the commands that install the client", async () => {
    const folder = temporaryFolder();
    const clone = join(folder, "clone");
    copySource(clone);
    await $`sh -euc ${quickStartBlock("TypeScript", "sh")}`.cwd(clone).quiet();
    const program = quickStartBlock("TypeScript", "ts");
    const ran = await runQuickStart(program, "ada.mts", [process.execPath], join(folder, "ada"));
    expect(ran).toMatchObject({ stdout: quickStartOutput, code: 0 });
  });

  requireProgram("curl").test("with curl", async () => {
    const ran = await runQuickStart(quickStartBlock("curl", "sh"), "main.sh", ["sh"]);
    expect(ran).toMatchObject({ stdout: quickStartOutput, code: 0 });
  });

  requireProgram("python3").test("in Python", async () => {
    const ran = await runQuickStart(quickStartBlock("Python", "python"), "main.py", ["python3"]);
    expect(ran).toMatchObject({ stdout: quickStartOutput, code: 0 });
  });
});
