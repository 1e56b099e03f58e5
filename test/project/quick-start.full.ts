import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { stopAll } from "../support/process/roster.ts";
import { quickStartOutput, runQuickStart } from "../support/quick-start.ts";
import { requireProgram } from "../support/requirements.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

describe("docs/quick-start.md prints what it promises", () => {
  test("in TypeScript", async () => {
    expect(await runQuickStart("ts", "main.ts", [process.execPath])).toMatchObject({
      stdout: quickStartOutput,
      code: 0,
    });
  });

  requireProgram("curl").test("with curl", async () => {
    expect(await runQuickStart("sh", "main.sh", ["sh"])).toMatchObject({ stdout: quickStartOutput, code: 0 });
  });

  requireProgram("python3").test("in Python", async () => {
    expect(await runQuickStart("python", "main.py", ["python3"])).toMatchObject({
      stdout: quickStartOutput,
      code: 0,
    });
  });
});
