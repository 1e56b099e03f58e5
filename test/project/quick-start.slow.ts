import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { stopAll } from "../support/process/roster.ts";
import { quickStartBlock, quickStartOutput, runQuickStart } from "../support/quick-start.ts";
import { requireProgram } from "../support/requirements.ts";

setDefaultTimeout(300_000);
afterAll(stopAll);

// The compiler needs many seconds the first time.
requireProgram("go").test("docs/quick-start.md prints what it promises in Go", async () => {
  expect(await runQuickStart(quickStartBlock("Go", "go"), "main.go", ["go", "run"])).toMatchObject({
    stdout: quickStartOutput,
    code: 0,
  });
});
